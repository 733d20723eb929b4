/** Whether the viewer has changed this field since the server rendered it. */
export function isEdited(field: Element): boolean {
  if (field instanceof HTMLInputElement)
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  return field instanceof HTMLOptionElement && field.selected !== field.defaultSelected;
}
