/** Reduces text to plain text: no tags, links or images, and no citation of an unknown source. */
export function sanitizeText(text: string, citable: ReadonlySet<number>): string {
  return text
    .replace(/[\p{Cc}\p{Cf}]/gu, (mark) => (mark === '\n' ? '\n' : ' '))
    .replace(/!?\[([^\][]*)\]\([^)\s]*\)?/g, '$1')
    .replace(
      /(?:[a-z][a-z0-9+.-]{0,63}:)?\/\/[^\s)\]]+|\bwww\.[^\s)\]]+|\b(?:javascript|data|vbscript):\S*/gi,
      '(link removed)',
    )
    .replace(/<\/?[a-z!][^>\n]*>?/gi, '')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replace(/\[([^\][]*)\]/g, (mark, inside: string) =>
      /^\d{1,3}$/.test(inside) ? (citable.has(Number(inside)) ? mark : '') : `(${inside})`,
    )
}

/** Sanitizes text that arrives in pieces. What may become part of a link, tag or citation is held back. */
export function createTextSanitizer(citable: ReadonlySet<number>): { push(piece: string): string; end(): string } {
  let buffered = ''
  const take = (to: number) => {
    const text = sanitizeText(buffered.slice(0, to), citable)
    buffered = buffered.slice(to)
    return text
  }
  return {
    push(piece) {
      buffered += piece
      return take(safeEnd(buffered))
    },
    end: () => take(buffered.length),
  }
}

const unclosedMax_characters = 400

/** Returns where the text can be cut: after a space, and before any unclosed bracket or tag. */
function safeEnd(text: string): number {
  const space = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1
  const unclosedAt = (mark: string, closing: string) => {
    const position = text.lastIndexOf(mark, space - 1)
    return space === 0 ||
      position < 0 ||
      text.length - position > unclosedMax_characters ||
      text.slice(position, space).includes(closing)
      ? space
      : position
  }
  return Math.min(unclosedAt('[', ']'), unclosedAt('<', '>'))
}
