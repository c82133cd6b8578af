"""The fields of a PDF form as it was filled in: texts, choices, boxes ticked and not."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TICKED, NOT_TICKED = "☒", "☐"
_MOST_FIELDS = 2_000  # of a page
_PASSWORD = 1 << 13  # flag of a field, ISO 32000-1, table 228
_UNSEEN = (1 << 1) | (1 << 5)  # flags of an annotation: hidden, no view


@dataclass(frozen=True, slots=True)
class FormField:
    """A field: what it holds, the label that programs read aloud, and its box in points.

    `text` is a sign for a box or button, which is ticked or not.
    """

    text: str
    label: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def is_box(self) -> bool:
        """Whether it is one to tick."""
        return self.text in {TICKED, NOT_TICKED}


def fields_of(page: Any) -> Iterator[FormField]:
    """Yield the fields of a page of pypdfium2 that hold something, in the file's order.

    The document's forms must have been initialised before the page was loaded; else there are none.
    """
    import pypdfium2.raw as pdfium

    form = page.formenv
    if form is None:
        return
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_FIELDS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, at)
        if not annotation:
            continue
        try:
            field = _field(pdfium, form.raw, annotation)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
        if field is not None:
            yield field


def _field(pdfium: Any, form: Any, annotation: Any) -> FormField | None:
    if pdfium.FPDFAnnot_GetSubtype(annotation) != pdfium.FPDF_ANNOT_WIDGET:
        return None
    if pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
        return None
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    text = ""
    if kind in {pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON}:
        text = TICKED if pdfium.FPDFAnnot_IsChecked(form, annotation) else NOT_TICKED
    elif kind in {
        pdfium.FPDF_FORMFIELD_TEXTFIELD,
        pdfium.FPDF_FORMFIELD_COMBOBOX,
        pdfium.FPDF_FORMFIELD_LISTBOX,
    } and not (pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD):
        text = _told(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
    box = pdfium.FS_RECTF()
    if not text or not pdfium.FPDFAnnot_GetRect(annotation, box):
        return None
    label = _told(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    return FormField(text, label, box.left, box.bottom, box.right, box.top)


def _told(read: Any, form: Any, annotation: Any) -> str:
    """Return a text of a field as one line; the library gives UTF-16 with a zero at the end."""
    length = read(form, annotation, None, 0)
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    read(form, annotation, buffer, length)
    text = bytes(buffer)[:length].decode("utf-16-le", "replace").rstrip("\0")
    return " ".join(text.split())
