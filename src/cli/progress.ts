/** A line on stderr that says how far a work is: on a terminal a bar that moves, else a line at every tenth. */
export type Progress = { at(done: number, words: string): void; end(): void }

const width = 30

function openProgress(title: string, { isTerminal, write }: { isTerminal: boolean; write(text: string): void }): Progress {
  let tenth = 0
  let length = 0
  return {
    at(done, words) {
      const part = Math.min(1, Math.max(0, done))
      if (isTerminal) {
        const full = Math.round(part * width)
        const line = `${title} [${'#'.repeat(full)}${'.'.repeat(width - full)}] ${String(Math.floor(part * 100)).padStart(3)} % ${words}`
        write(`\r${line.padEnd(length)}`)
        length = line.length
      } else if (Math.floor(part * 10) > tenth) {
        tenth = Math.floor(part * 10)
        write(`${title} ${tenth * 10} % ${words}\n`)
      }
    },
    end() {
      if (isTerminal && length > 0) write(`\r${' '.repeat(length)}\r`)
    },
  }
}

/** Progress on this process's own stderr. */
export function progressHere(title: string): Progress {
  return openProgress(title, { isTerminal: process.stderr.isTTY, write: (text) => void process.stderr.write(text) })
}
