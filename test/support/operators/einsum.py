"""Cases of Einsum: forms that models have, and each rule of its equations."""

from __future__ import annotations

import numpy as np

from operators.case import F32, F64, I32, Case, case, draw

SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "bij,bjk->bik": ((2, 3, 4), (2, 4, 5)),
    "bij, bjk": ((2, 3, 4), (2, 4, 5)),
    "bhid,bhjd->bhij": ((2, 3, 9, 8), (2, 3, 7, 8)),
    "bqhd,bkhd->bhqk": ((2, 9, 3, 8), (2, 7, 3, 8)),
    "bhqk,bkhd->bqhd": ((2, 3, 9, 7), (2, 7, 3, 8)),
    "bhwc,hkc->bhwk": ((2, 5, 6, 8), (5, 7, 8)),
    "bhwc,wkc->bhwk": ((2, 5, 6, 8), (6, 7, 8)),
    "nctv,vw->nctw": ((2, 3, 4, 5), (5, 6)),
    "ki,kj->ji": ((4, 3), (4, 5)),
    "i,j->ij": ((3,), (20,)),
    "i,i": ((9,), (9,)),
    "ij,ij->i": ((3, 20), (3, 20)),
    "ij,j->i": ((3, 20), (20,)),
    "ij->ji": ((3, 4),),
    "ij->": ((3, 4),),
    "ba": ((3, 4),),
    "ii->i": ((7, 7),),
    "iji->j": ((3, 4, 3),),
    "iij,jk": ((3, 3, 4), (4, 5)),
    "...ii->...i": ((2, 3, 3),),
    "...ij,...jk->...ik": ((2, 1, 3, 4), (5, 4, 2)),
    "i...,i...->...": ((3, 2, 4), (3, 4)),
    "->": ((),),
    ",ij->ij": ((), (3, 4)),
    "ab,bc,cd->ad": ((2, 30), (30, 20), (20, 3)),
    "ab,ab,ab->b": ((3, 4), (3, 4), (3, 4)),
    "bn,anm,bm->ba": ((2, 3), (4, 3, 5), (2, 5)),
    "ij,jk->ik": ((0, 3), (3, 2)),
}


def _cases() -> list[Case]:
    found: list[Case] = []
    for equation, shapes in SHAPES.items():
        for dtype in (F32, F64):
            given = [draw(shape, dtype, seed=k) for k, shape in enumerate(shapes)]
            found.append(case("Einsum", *given, equation=equation))
    pair = draw((3, 4), I32), draw((4, 5), I32)
    found.append(case("Einsum", *pair, equation="ij,jk->ik"))
    weights = np.eye(4, 6, dtype=F32)
    held = case("Einsum", draw((2, 3, 4)), weights, constants=(1,), equation="btc,cd")
    return [*found, held]


CASES = _cases()
