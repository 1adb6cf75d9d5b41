import { readFileSync } from 'node:fs'

/** What a child writes until it says the word; throws when it ends before. */
export async function until(stream: ReadableStream<Uint8Array>, word: string): Promise<string> {
  const reader = stream.getReader()
  let text = ''
  while (!text.includes(word)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`The child ended before it said ${word}: ${text}`)
    text += new TextDecoder().decode(value)
  }
  reader.releaseLock()
  return text
}

/** Processor time a process has taken so far. */
export function cpu_s(pid: number): number {
  const ticks = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(ticks[11]) + Number(ticks[12])) / 100
}

/** Memory a process holds in the machine. */
export function memory_mb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}
