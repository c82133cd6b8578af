"""Runs the notebooks of examples/notebooks and stores what they show.

python .ci/run_notebooks.py
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "notebooks"


def main() -> None:
    """Run each, and write it without what changes from run to run."""
    for file in sorted(FOLDER.glob("*.ipynb")):
        notebook = nbformat.read(file, 4)
        where = {"metadata": {"path": str(FOLDER)}}
        NotebookClient(notebook, timeout=600, kernel_name="python3", resources=where).execute()
        for cell in notebook.cells:
            cell.metadata.clear()
            if cell.cell_type == "code":
                # Progress and warnings are told on stderr.
                cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
        notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
        nbformat.write(notebook, file)


if __name__ == "__main__":
    main()
