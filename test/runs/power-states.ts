import type { FileOperation } from './power-record.ts'

/** A possible disk content after a power loss, and what had been acknowledged by then. */
export type PowerState = {
  step: number
  lost: Loss
  files: Map<string, Uint8Array>
  takenIn: Set<string>
  finished: Set<string>
}

/** Which unsynced writes survive: none, all, or any part. */
type Loss = 'nothing' | 'everything' | 'something'

const sector_bytes = 512

type Change = Extract<FileOperation, { do: 'write' | 'truncate' }>
/** `kept`: what is on the disk for certain; `open`: what came since the last sync of the file. */
type File = { kept: Buffer; open: Change[] }

/**
 * The states that a lost cache may leave, a limited number at each step: the disk as the process saw it, the disk with nothing
 * that was not synced, and disks with any part of it, torn at any sector. A file that was made or unmade since the last
 * sync of the folder may be there or not.
 */
export function* powerStates(steps: FileOperation[], perStep: number, random: () => number): Generator<PowerState> {
  const seen = new Map<string, File>()
  let kept = new Map<string, File>()
  const [takenIn, finished] = [new Set<string>(), new Set<string>()]
  for (const [step, it] of steps.entries()) {
    if (it.do === 'tell') (it.what === 'finished' ? finished : takenIn).add(it.run_id)
    else if (it.do === 'sync folder') kept = new Map(seen)
    else if (it.do === 'create') seen.set(it.file, { kept: Buffer.alloc(0), open: [] })
    else if (it.do === 'unlink') seen.delete(it.file)
    else if (it.do === 'rename') seen.set(it.to, seen.get(it.file)!).delete(it.file)
    else if (it.do === 'sync') settle(seen.get(it.file))
    else if (it.do === 'write' || it.do === 'truncate') seen.get(it.file)?.open.push(it)
    for (let i = 0; i < perStep; i++) {
      const lost = i === 0 ? 'nothing' : i === 1 ? 'everything' : 'something'
      yield {
        step,
        lost,
        files: diskAfter(lost, seen, kept, random),
        takenIn: new Set(takenIn),
        finished: new Set(finished),
      }
    }
  }
}

function settle(file: File | undefined): void {
  if (!file) return
  file.kept = after(file.kept, file.open)
  file.open = []
}

function diskAfter(
  lost: Loss,
  seen: Map<string, File>,
  kept: Map<string, File>,
  random: () => number,
): Map<string, Uint8Array> {
  const names = new Set([...seen.keys(), ...kept.keys()])
  const disk = new Map<string, Uint8Array>()
  for (const name of names) {
    const file = lost === 'nothing' || (lost === 'something' && random() < 0.5) ? seen.get(name) : kept.get(name)
    if (!file) continue
    const open =
      lost === 'nothing' ? file.open : lost === 'everything' ? [] : file.open.flatMap((it) => partOf(it, random))
    disk.set(name, after(file.kept, open))
  }
  return disk
}

/** None of a change, all of it, or some of its sectors. */
function partOf(it: Change, random: () => number): Change[] {
  const chance = random()
  if (chance < 0.4) return []
  if (chance < 0.8 || it.do === 'truncate') return [it]
  const first = sector_bytes - (it.at % sector_bytes)
  const cuts = [
    0,
    ...Array.from(
      { length: Math.ceil(Math.max(0, it.bytes.length - first) / sector_bytes) },
      (_, i) => first + i * sector_bytes,
    ),
    it.bytes.length,
  ]
  return cuts
    .slice(0, -1)
    .flatMap((from, i) =>
      random() < 0.5 ? [{ ...it, at: it.at + from, bytes: it.bytes.subarray(from, cuts[i + 1]) }] : [],
    )
}

/** The content after these changes, in order. */
function after(kept: Buffer, changes: Change[]): Buffer {
  if (changes.length === 0) return kept
  const largest = changes.reduce(
    (size, it) => Math.max(size, it.do === 'truncate' ? it.size : it.at + it.bytes.length),
    kept.length,
  )
  const content = Buffer.alloc(largest)
  kept.copy(content)
  let size = kept.length
  for (const it of changes) {
    if (it.do === 'write') content.set(it.bytes, it.at)
    else content.fill(0, it.size)
    size = it.do === 'truncate' ? it.size : Math.max(size, it.at + it.bytes.length)
  }
  return content.subarray(0, size)
}
