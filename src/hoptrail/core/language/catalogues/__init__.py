"""Catalogues of messages: gettext's `.po` files, named by the code of their language."""
