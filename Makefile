# Every target runs in the virtual environment $(VENV), which the first one makes.
# The machine needs only make and Python 3.11 or later.

VENV ?= .venv
PYTHON ?= python3
BIN := $(abspath $(VENV))/bin
READY := $(VENV)/.ready
JOBS ?= 2

export PATH := $(BIN):$(PATH)
# Tests start hundreds of processes, and none should compile our sources again.
unexport PYTHONDONTWRITEBYTECODE

# Neighbors go to one worker, which keeps the kernels and models that they share.
PYTEST := $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal

MINUTES ?= 10

.PHONY: help venv demo test test-fast test-full lit check docs site notebooks bench layouts movement number-types kv-cache compile-time dynamic-shapes torch-models classic-models load-time overhead memory growth threads training workers roofline accuracy deviations stress fuzz faults conformance clean

help:
	@echo "make demo       compile and run ResNet-50, beside ONNX Runtime"
	@echo "make test       the test suite (a quarter of an hour on two cores)"
	@echo "make test-fast  the tests to run after every change (a minute on two cores)"
	@echo "make test-full  everything, grids, fuzzers and new random examples included"
	@echo "make check      format, lint, types, and whether generated docs are in step"
	@echo "make docs       write the generated pages under docs/"
	@echo "make site       the documentation as a site, in build/site"
	@echo "make notebooks  the tutorials as notebooks, in build/notebooks"
	@echo "make bench      the table of benchmarks/RESULTS.md; EXPORTED=FOLDER adds what"
	@echo "                benchmarks/export_models.py wrote there"
	@echo "make layouts    the tables of benchmarks/LAYOUTS.md"
	@echo "make number-types   the table of benchmarks/NUMBER_TYPES.md"
	@echo "make movement   the table of benchmarks/MOVEMENT.md"
	@echo "make kv-cache   the table of benchmarks/KV_CACHE.md"
	@echo "make compile-time   the table of benchmarks/COMPILE_TIME.md"
	@echo "make growth     the table of benchmarks/GROWTH.md"
	@echo "make roofline   the tables of benchmarks/ROOFLINE.md"
	@echo "make accuracy   the tables of benchmarks/ACCURACY.md"
	@echo "make deviations the table of docs/deviations.md"
	@echo "make threads    the table of benchmarks/THREADS.md"
	@echo "make training   the table of benchmarks/TRAINING.md; TORCH=PYTHON is one with"
	@echo "                PyTorch, if this one has not"
	@echo "make workers    the table of benchmarks/WORKERS.md"
	@echo "make load-time  the table of benchmarks/LOAD_TIME.md"
	@echo "make overhead   the table of benchmarks/OVERHEAD.md"
	@echo "make stress     threads that run and destroy things at the same time, for minutes"
	@echo "make fuzz       random graphs and broken files for MINUTES=10; faults go to fuzz/"
	@echo "make faults     plant faults one by one, and run the tests that must catch them"
	@echo "make memory     the table of benchmarks/MEMORY.md"
	@echo "make dynamic-shapes  the table of benchmarks/DYNAMIC_SHAPES.md"
	@echo "make torch-models  the table of benchmarks/TORCH.md; PYTORCH has packages beside"
	@echo "                ours: torch, torchvision, transformers and onnxscript"
	@echo "make classic-models  the table of benchmarks/CLASSIC_MODELS.md; CLASSIC has packages"
	@echo "                beside ours: scikit-learn, skl2onnx, lightgbm, xgboost, treelite"
	@echo "make conformance    ONNX's own suite on both targets: benchmarks/CONFORMANCE.md"
	@echo "make clean      remove what the others made, $(VENV) included"

venv: $(READY)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("error: expected Python 3.11 or later, got " + sys.version.split()[0] + "; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY)
	$(BIN)/python examples/resnet50.py

lit: $(READY)
	$(BIN)/lit --workers $(JOBS) --quiet test

test: lit
	$(PYTEST) -m 'not full'

test-fast: $(READY)
	$(PYTEST) --hypothesis-profile=fast -m 'not full and not slow'

test-full: lit
	$(PYTEST) --hypothesis-profile=search

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/link_packages.py
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/python tools/generate_docs.py --check

docs: $(READY)
	$(BIN)/python tools/generate_docs.py

site: $(READY)
	$(BIN)/python -m pip install -q --editable '.[docs]'
	$(BIN)/python tools/site_pages.py build/site_pages
	# Two programs are npm's. Without npm, pages take that of diagrams from a public
	# server, and pages that are opened as files have no search.
	cd build/site_pages && touch mermaid.min.js iframe-worker.js
	-cd build && npm pack --silent mermaid@11 iframe-worker@1 >/dev/null \
		&& tar -xzOf mermaid-*.tgz package/dist/mermaid.min.js >site_pages/mermaid.min.js \
		&& tar -xzOf iframe-worker-*.tgz package/shim/index.js >site_pages/iframe-worker.js \
		&& rm mermaid-*.tgz iframe-worker-*.tgz
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q
	$(BIN)/python tools/site_links.py build/site
	@echo "wrote build/site/index.html"

notebooks: $(READY)
	$(BIN)/python -m pip install -q nbformat
	$(BIN)/python tools/notebooks.py build/notebooks

bench: $(READY)
	$(BIN)/python benchmarks/compare_models.py --output benchmarks/RESULTS.md \
		$(if $(EXPORTED),--exported $(EXPORTED))

movement: $(READY)
	$(BIN)/python benchmarks/movement.py --output benchmarks/MOVEMENT.md

number-types: $(READY)
	$(BIN)/python benchmarks/number_types.py --output benchmarks/NUMBER_TYPES.md

kv-cache: $(READY)
	$(BIN)/python benchmarks/kv_cache.py --output benchmarks/KV_CACHE.md

layouts: $(READY)
	$(BIN)/python benchmarks/layouts.py --output benchmarks/LAYOUTS.md

compile-time: $(READY)
	$(BIN)/python benchmarks/compile_time.py --output benchmarks/COMPILE_TIME.md \
		$(if $(EXPORTED),--exported $(EXPORTED))

growth: $(READY)
	$(BIN)/python benchmarks/growth.py --output benchmarks/GROWTH.md

roofline: $(READY)
	$(BIN)/python benchmarks/roofline.py --output benchmarks/ROOFLINE.md \
		$(if $(EXPORTED),--exported $(EXPORTED))

accuracy: $(READY)
	$(BIN)/python benchmarks/accuracy.py --output benchmarks/ACCURACY.md

deviations: $(READY)
	$(BIN)/python benchmarks/deviations.py --output docs/deviations.md

load-time: $(READY)
	$(BIN)/python benchmarks/load_time.py --output benchmarks/LOAD_TIME.md

overhead: $(READY)
	$(BIN)/python benchmarks/overhead.py --output benchmarks/OVERHEAD.md

threads: $(READY)
	$(BIN)/python benchmarks/threads.py --output benchmarks/THREADS.md

training: $(READY)
	$(BIN)/python benchmarks/training.py --output benchmarks/TRAINING.md \
		$(if $(TORCH),--torch $(TORCH))

workers: $(READY)
	$(BIN)/python benchmarks/workers.py --output benchmarks/WORKERS.md

stress: $(READY)
	$(BIN)/python -m pytest -q -n0 test/unit/test_stress.py

fuzz: $(READY)
	nice $(BIN)/python test/fuzz/campaign.py --minutes $(MINUTES) --output fuzz

faults: $(READY)
	$(BIN)/python test/faults/plant.py

memory: $(READY)
	$(BIN)/python benchmarks/memory.py --output benchmarks/MEMORY.md

dynamic-shapes: $(READY)
	$(BIN)/python benchmarks/dynamic_shapes.py --output benchmarks/DYNAMIC_SHAPES.md

torch-models: $(READY)
	PYTHONPATH=$(PYTORCH) $(BIN)/python benchmarks/torch_models.py \
		--output benchmarks/TORCH.md

classic-models: $(READY)
	PYTHONPATH=$(CLASSIC) $(BIN)/python benchmarks/classic_models.py \
		$(if $(LLEAVES),--lleaves $(LLEAVES)) --output benchmarks/CLASSIC_MODELS.md

conformance: $(READY)
	$(BIN)/python benchmarks/conformance.py --jobs $(JOBS) --output benchmarks/CONFORMANCE.md

clean:
	rm -rf $(VENV) .links build dist *.egg-info .ruff_cache .hypothesis
