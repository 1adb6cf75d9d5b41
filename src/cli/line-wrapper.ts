const width = 110

/** Wraps text that arrives in pieces, and prints each line as soon as it is full. */
export function createLineWrapper(print: (line: string) => void): { write(piece: string): void; end(): void } {
  let line = ''
  return {
    write(piece) {
      line += piece
      for (let end = firstLineEnd(line); end !== null; end = firstLineEnd(line)) {
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

/** Returns the end of the first full line: its line break, or the last space that fits. Null if no line is full yet. */
function firstLineEnd(text: string): number | null {
  const newline = text.indexOf('\n')
  if (newline >= 0 && newline <= width) return newline
  if (text.length <= width) return null
  const space = text.lastIndexOf(' ', width)
  if (space > 0) return space
  const nextBreak = /[ \n]/.exec(text)
  return nextBreak ? nextBreak.index : null
}
