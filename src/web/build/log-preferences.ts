/** How a person likes to see logs. The browser stores it. */
export interface LogPreferences {
  timestamps: boolean;
  wrap: boolean;
}

const KEY = 'millrace.log';

export function readPreferences(): LogPreferences {
  try {
    const stored: Partial<LogPreferences> = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return { timestamps: stored.timestamps === true, wrap: stored.wrap !== false };
  } catch {
    // The browser stores nothing, or something else.
    return { timestamps: false, wrap: true };
  }
}

export function storePreferences(preferences: LogPreferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Then the choice holds for this page.
  }
}
