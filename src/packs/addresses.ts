import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { distanceBetween_m } from '../geo/ecef.ts'
import { wordsOf } from '../model/address-token.ts'
import type { AddressMatch, ParsedAddress } from '../model/address.ts'
import type { Budget } from '../model/source.ts'
import { townKeyOf } from '../model/town-key.ts'
import { openAddressFile, type AddressFile } from './addresses-file.ts'
import { matchesIn, type LocalMatch } from './addresses-find.ts'
import { PackRefused } from './pack-refused.ts'

/** An address pack for the operator; `reason`: why it is refused. */
type AddressPackStatus = { file: string; state: 'live' | 'refused'; reason: string | null; bytes: number; about: Readonly<Record<string, string>> }

/** The local geocoder: every address pack of the folder. */
export type AddressPacks = {
  /** Best first; several where the address is ambiguous; a `street_center` only where no pack has the number. Throws an UpstreamError when a pack cannot be read. */
  find(asked: ParsedAddress, budget: Budget): AddressMatch[]
  /** Whether a pack has any street of the ZIP code or the town: what it does not find there hardly exists. */
  covers(asked: ParsedAddress): boolean
  list(): AddressPackStatus[]
  /** What the answers come from: another text when a pack has come, gone or changed. Empty without packs. */
  edition(): string
  close(): void
}

/** Opens the `addresses*.sqlite` and `address-ranges*.sqlite` of a folder; a file that comes, goes or is replaced is noticed within a second. */
export function openAddressPacks(folder: string, { now }: { now: () => Date } = { now: () => new Date() }): AddressPacks {
  const entries = new Map<string, Entry>()
  let looked_ms = -Infinity
  const live = () => {
    look()
    return [...entries.values()].flatMap(({ file }) => file ?? [])
  }
  return {
    find(asked, { signal }) {
      const found: LocalMatch[] = []
      for (const file of live()) {
        signal.throwIfAborted()
        found.push(...matchesIn(file, asked))
      }
      return sifted(found)
    },
    covers: ({ city, state, zip }) => live().some((file) => (zip !== undefined && file.hasZip(zip.slice(0, 5))) || (city !== undefined && file.hasCity(townKeyOf(wordsOf(city)), state ?? null))),
    list() {
      look()
      return [...entries].map(([file, entry]) => ({ file, state: entry.file ? 'live' : 'refused', reason: entry.reason, bytes: entry.bytes, about: entry.file?.about ?? {} }))
    },
    edition() {
      look()
      return [...entries].filter(([, { file }]) => file).map(([name, { mark }]) => `${name}:${mark}`).join()
    },
    close() {
      for (const { file } of entries.values()) file?.close()
      entries.clear()
      looked_ms = Infinity
    },
  }

  function look(): void {
    const now_ms = now().getTime()
    if (Math.abs(now_ms - looked_ms) < look_ms || looked_ms === Infinity) return
    looked_ms = now_ms
    const names = addressPackNames(folder)
    for (const [name, { file }] of entries) {
      if (names.includes(name)) continue
      file?.close()
      entries.delete(name)
    }
    for (const name of names) {
      const { ino, size, mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? { ino: 0, size: 0, mtimeMs: 0 }
      const mark = `${ino}:${size}:${mtimeMs}`
      const before = entries.get(name)
      if (before?.mark === mark) continue
      before?.file?.close()
      entries.set(name, { mark, bytes: size, ...tried(join(folder, name), name) })
    }
  }
}

/** The names of the address packs that lie in a folder, whether or not they are good. */
export function addressPackNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^address(?:es|-ranges)[\w.-]*\.sqlite$/.test(name)).toSorted().slice(0, mostFiles)
  } catch {
    return [] // no folder: no packs
  }
}

const look_ms = 1_000
const mostFiles = 200
const mostMatches = 10
/** What is worse than the best by more is no rival to it. */
const rival = 0.1
const samePlace_m = 150
const grades = ['rooftop', 'nearest_rooftop_match', 'intersection', 'range_interpolation', 'street_center']

type Entry = { mark: string; bytes: number; file: AddressFile | null; reason: string | null }

/** Whatever goes wrong with one file is told of that file, and of no other. */
function tried(path: string, name: string): Pick<Entry, 'file' | 'reason'> {
  try {
    return { file: openAddressFile(path), reason: null }
  } catch (error) {
    return { file: null, reason: error instanceof PackRefused ? error.message : `${name} could not be opened: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** The best matches: places that differ, without those that are much worse, coarser than another of the same street, or only a street. */
function sifted(matches: LocalMatch[]): AddressMatch[] {
  const served = matches.filter(({ accuracy_type }) => accuracy_type !== 'street_center')
  const ordered = (served.length > 0 ? served : matches).toSorted((a, b) => b.score - a.score || grades.indexOf(a.accuracy_type) - grades.indexOf(b.accuracy_type))
  const least = (ordered[0]?.score ?? 0) - rival
  const kept: LocalMatch[] = []
  for (const match of ordered) {
    if (match.score < least - 1e-9 || kept.some((better) => distanceBetween_m(better, match) <= samePlace_m || isFinerOf(better, match))) continue
    kept.push(match)
  }
  return kept.slice(0, mostMatches)
}

/** Whether a match by its own point is of the same street and place as one by a range: the range is only a guess at it. */
function isFinerOf(better: LocalMatch, { accuracy_type, components }: LocalMatch): boolean {
  if (accuracy_type !== 'range_interpolation' || better.accuracy_type === 'range_interpolation') return false
  const its = better.components
  return its.street?.toUpperCase() === components.street?.toUpperCase() && its.suffix === components.suffix && its.predirectional === components.predirectional && its.postdirectional === components.postdirectional
    && its.state === components.state && (its.zip === components.zip || its.city?.toUpperCase() === components.city?.toUpperCase())
}
