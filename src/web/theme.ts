const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const KEY = 'theme';

function isTheme(value: string | null | undefined): value is Theme {
  return THEMES.some((theme) => theme === value);
}

/** The theme that the viewer chose on this device. Browsers may forbid pages to store anything. */
function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return isTheme(stored) ? stored : 'system';
  } catch {
    return 'system';
  }
}

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage, the choice applies only to this page.
  }
}

apply(chosenTheme());

addEventListener('DOMContentLoaded', () => {
  const select = document.getElementById('theme');
  if (!(select instanceof HTMLSelectElement)) return;
  select.value = chosenTheme();
  select.parentElement?.removeAttribute('hidden');
  select.addEventListener('change', () => {
    if (!isTheme(select.value)) return;
    remember(select.value);
    apply(select.value);
  });
});
