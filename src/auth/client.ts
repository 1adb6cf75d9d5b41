/** A program that a person may let in. Clients are public: none has a secret. `shownAs`: the host that vouches for the name, where one does. */
export type OAuthClient = { id: string; name: string; redirect_uris: readonly string[]; verifiedHost: string | null }

const nameMax_characters = 100

/** A name for people to read: a line of text, without what cannot be seen. */
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
