const checksumLength = 9

/**
 * Appends the checksum of a cached row to its text. `members`: the other members of the row, such as its key and times.
 */
export function withChecksum(text: string, ...members: readonly (string | number)[]): string {
  return `${text}\n${checksumOf(text, members)}`
}

/** Returns the text of a cached row without its checksum; null if the row is not as it was written, or has none. */
export function checkedText(stored: string, ...members: readonly (string | number)[]): string | null {
  const text = stored.slice(0, -checksumLength)
  return stored.slice(-checksumLength) === `\n${checksumOf(text, members)}` ? text : null
}

function checksumOf(text: string, members: readonly (string | number)[]): string {
  return Bun.hash
    .crc32(JSON.stringify(members) + text)
    .toString(16)
    .padStart(checksumLength - 1, '0')
}
