/** Progress of a task on standard error: a bar on a terminal, otherwise one line for every 10 %. */
export type ProgressBar = {
  update(done: number, label: string): void
  /** Writes a sentence on a line of its own. */
  note(sentence: string): void
  end(): void
}

const width = 30

function createProgressBar(
  title: string,
  { isTerminal, write }: { isTerminal: boolean; write(text: string): void },
): ProgressBar {
  let lastTenth = 0
  let length = 0
  const clear = () => {
    if (isTerminal && length > 0) write(`\r${' '.repeat(length)}\r`)
    length = 0
  }
  return {
    update(done, label) {
      const fraction = Math.min(1, Math.max(0, done))
      if (isTerminal) {
        const filled = Math.round(fraction * width)
        const line = `${title} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${String(Math.floor(fraction * 100)).padStart(3)} % ${label}`
        write(`\r${line.padEnd(length)}`)
        length = line.length
      } else if (Math.floor(fraction * 10) > lastTenth) {
        lastTenth = Math.floor(fraction * 10)
        write(`${title} ${lastTenth * 10} % ${label}\n`)
      }
    },
    note(sentence) {
      clear()
      write(`${title}: ${sentence}\n`)
    },
    end: clear,
  }
}

/** Creates a progress bar on the standard error of this process. */
export function createStderrProgress(title: string): ProgressBar {
  return createProgressBar(title, {
    isTerminal: process.stderr.isTTY,
    write: (text) => void process.stderr.write(text),
  })
}
