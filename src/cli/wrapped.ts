const width = 110

/** Writes a text that comes in pieces as lines of a page, each as soon as it is full. */
export function openWrapped(print: (line: string) => void): { write(piece: string): void; end(): void } {
  let line = ''
  return {
    write(piece) {
      line += piece
      for (let end = endOf(line); end !== null; end = endOf(line)) {
        print(line.slice(0, end))
        line = line.slice(end + 1)
      }
    },
    end() {
      if (line !== '') print(line)
      line = ''
    },
  }
}

/** Where the first full line ends: at its own end, or at the last space that fits; null when it is not full yet. */
function endOf(text: string): number | null {
  const own = text.indexOf('\n')
  if (own >= 0 && own <= width) return own
  if (text.length <= width) return null
  const space = text.lastIndexOf(' ', width)
  if (space > 0) return space
  const next = /[ \n]/.exec(text)
  return next ? next.index : null
}
