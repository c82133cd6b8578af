"""The model of one role, for commands that call a model without a question answering graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hoptrail.models.chat import RoleModel
    from hoptrail.prompts.loader import Prompts


def model_for_role(role: str, fields: dict[str, Any]) -> tuple[RoleModel, Prompts]:
    """Return the role's model and the prompts with the settings' overrides.

    Args:
        role: A role of `hoptrail.core.settings.Role`.
        fields: Fields of Context, as `context_fields` returns them.

    Raises:
        ModelNotConfiguredError: If neither the fields nor the settings name a model.
        SettingsError: If a field or a prompt file cannot be used.
    """
    from hoptrail.core.settings import load_settings
    from hoptrail.graphs.context import resolve_context
    from hoptrail.models.chat import DEFAULT_CHOICE, ChatModels
    from hoptrail.prompts.loader import Prompts

    context = resolve_context(fields)
    settings = load_settings()
    prompts = Prompts(settings.prompts_dir)
    prompts.load_all()
    choices = {str(name): model for name, model in context.models.items()}
    if context.model is not None:
        choices[DEFAULT_CHOICE] = context.model
    return ChatModels(settings, choices).for_role(role), prompts
