/**
 * An OAuth client. All clients are public. `verifiedHost` is the host of the client's metadata document; null for a
 * client that registered itself.
 */
export type OAuthClient = { id: string; name: string; redirect_uris: readonly string[]; verifiedHost: string | null }

const nameMax_characters = 100

/** Returns a client name for display: one line without invisible characters. */
export function cleanClientName(value: unknown, fallback: string): string {
  const name =
    typeof value === 'string'
      ? value
          .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
          .trim()
          .slice(0, nameMax_characters)
      : ''
  return name === '' ? fallback : name
}
