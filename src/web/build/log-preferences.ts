/** How a person wants to see logs. The browser stores the preferences. */
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
    // The browser allows no storage, or the stored text is not valid.
    return { timestamps: false, wrap: true };
  }
}

export function storePreferences(preferences: LogPreferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Without storage, the preferences apply only to this page.
  }
}
