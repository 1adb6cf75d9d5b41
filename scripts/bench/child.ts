import { readFileSync } from 'node:fs'

/**
 * Returns the output of a child process up to the word.
 *
 * @throws if the output ends without the word.
 */
export async function readUntilWord(stream: ReadableStream<Uint8Array>, word: string): Promise<string> {
  const reader = stream.getReader()
  let text = ''
  while (!text.includes(word)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`The child process ended before it wrote "${word}": ${text}`)
    text += new TextDecoder().decode(value)
  }
  reader.releaseLock()
  return text
}

/** Processor time of a process so far, in seconds. */
export function cpu_s(pid: number): number {
  const ticks = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(ticks[11]) + Number(ticks[12])) / 100
}

/** Resident memory of a process, in MB. */
export function memory_mb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

/** Returns a function that returns the most physical memory that a process had so far, in MB. */
export function trackPhysicalMemory(pid: number): () => number {
  let most_mb = 0
  const sampling = setInterval(() => {
    try {
      most_mb = Math.max(most_mb, physicalMemory_mb(pid))
    } catch {
      // The process has ended.
      clearInterval(sampling)
    }
  }, sampleInterval_ms)
  return () => {
    clearInterval(sampling)
    return most_mb
  }
}

const sampleInterval_ms = 50

/** Returns the physical memory of a process. A page that two of its threads map counts once, unlike in `memory_mb`. */
export function physicalMemory_mb(pid: number): number {
  return Number(/Pss:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1]) / 1024
}
