/** Patch: wording. Minor: new fields or presets, corrected values. Major: a field renamed, retyped or removed. */
export const version = '1.2.0'

/** The day this version was released; the catalog endpoint gives it as `generated_at`. */
export const released = '2026-11-30T00:00:00+00:00'
