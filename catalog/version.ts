/** Patch: wording. Minor: new fields or presets. Major: a field renamed, retyped or removed. */
export const version = '0.1.3'

/** The day this version was released; the catalog endpoint gives it as `generated_at`. */
export const released = '2026-11-22T00:00:00+00:00'
