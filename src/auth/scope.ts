/** Every scope of a token. */
export const allScopes = ['fetch', 'geocode', 'lookup', 'parcel', 'ask', 'runs', 'admin'] as const
/** One scope. */
export type Scope = (typeof allScopes)[number]

/** Whether a word is a scope. */
export function isScope(text: string): text is Scope {
  return allScopes.some((scope) => scope === text)
}
