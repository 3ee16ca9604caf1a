"""
Tests of attributes by the constraints of xDSL, made once for each constraint.

They only accept: an attribute that one refuses may satisfy the constraint all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    ArrayOfConstraint,
    EmptyArrayAttrConstraint,
    StringAttr,
    SymbolNameConstraint,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    AllOf,
    AnyAttr,
    AnyOf,
    AttrConstraint,
    BaseAttr,
    EqAttrConstraint,
    MessageConstraint,
    ParamAttrConstraint,
    RangeConstraint,
    RangeOf,
    VarConstraint,
)

Variables = dict[str, Attribute]
"""The attributes that the variables of constraints have in one op."""

Test = Callable[[Attribute, Variables], bool]


def _accepts_any(attribute: Attribute, variables: Variables) -> bool:
    return True


def refuses_any(attribute: Attribute, variables: Variables) -> bool:
    return False


def test_of(constraint: AttrConstraint) -> Test:
    """Return whether an attribute certainly satisfies `constraint`."""
    match constraint:
        case AnyAttr():
            return _accepts_any
        case BaseAttr():
            return _is_instance(constraint.attr)
        case EqAttrConstraint():
            expected = constraint.attr
            return lambda a, _: a is expected or a == expected
        case SymbolNameConstraint():
            return _is_instance(StringAttr)
        case EmptyArrayAttrConstraint():
            return lambda a, _: a == ArrayAttr([])
        case AnyOf():
            return _is_any([test_of(each) for each in constraint.attr_constrs])
        case AllOf():
            return _is_all([test_of(each) for each in constraint.attr_constrs])
        case ParamAttrConstraint():
            tests = [test_of(each) for each in constraint.param_constrs]
            return _has_parameters(_is_instance(constraint.base_attr), tests)
        case ArrayOfConstraint():
            return _is_array(constraint.elem_range_constraint)
        case VarConstraint():
            return _is_same(constraint.name, test_of(constraint.constraint))
        case MessageConstraint():
            return test_of(constraint.constr)
        case _:
            return refuses_any


def _is_instance(base: type[Attribute]) -> Test:
    # To ask an abstract class takes longer than all the rest.
    known: dict[type[Attribute], bool] = {}

    def test(attribute: Attribute, variables: Variables) -> bool:
        type_ = type(attribute)
        answer = known.get(type_)
        if answer is None:
            answer = known[type_] = issubclass(type_, base)
        return answer

    return test


def _is_any(tests: Sequence[Test]) -> Test:
    return lambda a, variables: any(each(a, variables) for each in tests)


def _is_all(tests: Sequence[Test]) -> Test:
    return lambda a, variables: all(each(a, variables) for each in tests)


def _has_parameters(is_base: Test, tests: Sequence[Test]) -> Test:
    def test(attribute: Any, variables: Variables) -> bool:
        if not is_base(attribute, variables):
            return False
        parameters = attribute.parameters
        if len(parameters) != len(tests):
            return False
        for each, parameter in zip(tests, parameters, strict=True):
            if not each(parameter, variables):
                return False
        return True

    return test


def _is_array(range_: RangeConstraint) -> Test:
    if not isinstance(range_, RangeOf):
        return refuses_any
    test_element = test_of(range_.constr)

    def test(attribute: Any, variables: Variables) -> bool:
        return isinstance(attribute, ArrayAttr) and all(
            test_element(each, variables) for each in cast(Any, attribute).data
        )

    return test


def _is_same(name: str, test: Test) -> Test:
    def test_variable(attribute: Attribute, variables: Variables) -> bool:
        known = variables.get(name)
        if known is None:
            variables[name] = attribute
            return test(attribute, variables)
        return known is attribute or known == attribute

    return test_variable
