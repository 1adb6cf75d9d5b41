/** Whether a text has more code points than this. Takes no longer for a text of a megabyte than for a short one. */
export function hasMoreCodePoints(text: string, max: number): boolean {
  // A code point has at most two UTF-16 units.
  return text.length > 2 * max || (text.length > max && [...text].length > max)
}

/** Matches control, bidirectional and zero-width characters. */
export const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
