/** A program that a person may let in. Clients are public: none has a secret. `shownAs`: the host that vouches for the name, where one does. */
export type Client = { id: string; name: string; redirect_uris: readonly string[]; shownAs: string | null }

const nameMax_characters = 100

/** A name for people to read: a line of text, without what cannot be seen. */
export function nameOf(given: unknown, otherwise: string): string {
  const name = typeof given === 'string' ? given.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim().slice(0, nameMax_characters) : ''
  return name === '' ? otherwise : name
}
