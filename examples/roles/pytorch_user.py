"""
Who has a model of PyTorch: `torch.compile`, `torch.export`, sessions, gradients.

`python examples/roles/pytorch_user.py` does it from an empty environment, into which it
installs PyTorch; `--torch FOLDER` names the packages of one that has it.
"""

from environment import Environment, empty_folder, sources

MODEL = """
import torch
torch.manual_seed(0)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(100, 64)
        layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = torch.nn.Linear(64, 5)

    def forward(self, ids):
        return self.head(self.encoder(self.embed(ids)).mean(1))

model = Net().eval()
ids = torch.randint(0, 100, (2, 12))
"""
COMPILE = """
from net import *
import logging, time
logging.basicConfig(format="%(message)s")
logging.getLogger("glow").setLevel(logging.INFO)
fast = torch.compile(model, backend="glow", options={"fallback": False})
with torch.no_grad():
    start = time.monotonic()
    found = fast(ids)
    print(f"the first call took {time.monotonic() - start:.1f} s")
    torch.testing.assert_close(found, model(ids), rtol=1e-4, atol=1e-5)
    assert fast(ids[:1]).shape == (1, 5)
"""
TRAIN = """
from net import *
step = torch.compile(model, backend="glow", options={"fallback": False})
step(ids).square().mean().backward()
found = model.head.weight.grad.clone()
model.zero_grad()
model(ids).square().mean().backward()
torch.testing.assert_close(found, model.head.weight.grad, rtol=1e-3, atol=1e-5)
print("gradients as PyTorch's")
"""
EXPORT = """
from net import *
import glow
batch, length = torch.export.Dim("batch", min=2), torch.export.Dim("length", min=2)
exported = torch.export.export(model, (ids,), dynamic_shapes=({0: batch, 1: length},))
net = glow.compile(exported)
print(net.signature)
for shape in ((2, 12), (3, 20), (5, 7)):
    given = torch.randint(0, 100, shape)
    (found,) = net.run({"ids": given}, like=given).values()
    torch.testing.assert_close(found, model(given), rtol=1e-4, atol=1e-5)
net.save("net.glow")
import numpy as np
np.savez("expected.npz", ids=ids.numpy(), scores=model(ids).detach().numpy())
"""
SERVE = """
import sys, numpy as np, glow
expected = np.load("expected.npz")
session = glow.InferenceSession("net.glow")
(scores,) = session.run(None, {"ids": expected["ids"]})
np.testing.assert_allclose(scores, expected["scores"], rtol=1e-4, atol=1e-5)
assert not {"torch", "xdsl", "llvmlite"} & set(sys.modules)
print("without PyTorch, and without a compiler")
"""


def main() -> None:
    with empty_folder() as folder:
        env = Environment(folder)
        env.install("pip install glow-xdsl", sources(folder))
        if not env.use_torch():
            print("--           skipped: all steps, which need PyTorch (--torch)")
            return
        (env.work / "net.py").write_text(MODEL)
        env.python('torch.compile(model, backend="glow")', COMPILE)
        env.python("gradients", TRAIN)
        env.python("an ExportedProgram, with any batch and length", EXPORT)
        env.python("the saved model in a session", SERVE)
        env.tutorial("pytorch")


if __name__ == "__main__":
    main()
