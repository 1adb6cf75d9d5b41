import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { distanceBetween_m } from '../../geo/ecef.ts'
import { normalizeWords } from '../../address/tokenizer.ts'
import type { AddressMatch, ParsedAddress } from '../../address/address.ts'
import type { Budget } from '../../model/source.ts'
import { townKeyOf } from '../../address/town-key.ts'
import { openAddressPack, type AddressPack } from './address-pack.ts'
import { matchAddress, type LocalMatch } from './match-address.ts'
import { PackError } from '../pack-error.ts'

/** An address pack for the operator; `reason`: why it is refused. */
type AddressPackStatus = {
  file: string
  state: 'live' | 'rejected'
  reason: string | null
  bytes: number
  metadata: Readonly<Record<string, string>>
}

/** The local geocoder: every address pack of the folder. */
export type AddressPackFolder = {
  /** Best first; several where the address is ambiguous; a `street_center` only where no pack has the number. Throws an UpstreamError when a pack cannot be read. */
  find(address: ParsedAddress, budget: Budget): AddressMatch[]
  /** Whether a pack has any street of the ZIP code or the town: what it does not find there hardly exists. */
  covers(address: ParsedAddress): boolean
  list(): AddressPackStatus[]
  /** What the answers come from: another text when a pack has come, gone or changed. Empty without packs. */
  edition(): string
  close(): void
}

/** Opens the `addresses*.sqlite` and `address-ranges*.sqlite` of a folder; a file that comes, goes or is replaced is noticed within a second. */
export function openAddressPackFolder(
  folder: string,
  { now }: { now: () => Date } = { now: () => new Date() },
): AddressPackFolder {
  const entries = new Map<string, Entry>()
  let lastScan_ms = -Infinity
  const livePacks = () => {
    scan()
    return [...entries.values()].flatMap(({ pack }) => pack ?? [])
  }
  return {
    find(address, { signal }) {
      const matches: LocalMatch[] = []
      for (const pack of livePacks()) {
        signal.throwIfAborted()
        matches.push(...matchAddress(pack, address))
      }
      return selectBest(matches)
    },
    covers: ({ city, state, zip }) =>
      livePacks().some(
        (pack) =>
          (zip !== undefined && pack.hasZip(zip.slice(0, 5))) ||
          (city !== undefined && pack.hasCity(townKeyOf(normalizeWords(city)), state ?? null)),
      ),
    list() {
      scan()
      return [...entries].map(([file, entry]) => ({
        file,
        state: entry.pack ? 'live' : 'rejected',
        reason: entry.reason,
        bytes: entry.bytes,
        metadata: entry.pack?.metadata ?? {},
      }))
    },
    edition() {
      scan()
      return [...entries]
        .filter(([, { pack }]) => pack)
        .map(([name, { fingerprint }]) => `${name}:${fingerprint}`)
        .join()
    },
    close() {
      for (const { pack } of entries.values()) pack?.close()
      entries.clear()
      lastScan_ms = Infinity
    },
  }

  function scan(): void {
    const now_ms = now().getTime()
    if (Math.abs(now_ms - lastScan_ms) < scanInterval_ms || lastScan_ms === Infinity) return
    lastScan_ms = now_ms
    const names = listAddressPackFiles(folder)
    for (const [name, { pack }] of entries) {
      if (names.includes(name)) continue
      pack?.close()
      entries.delete(name)
    }
    for (const name of names) {
      const { ino, size, mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {
        ino: 0,
        size: 0,
        mtimeMs: 0,
      }
      const fingerprint = `${ino}:${size}:${mtimeMs}`
      const previous = entries.get(name)
      if (previous?.fingerprint === fingerprint) continue
      previous?.pack?.close()
      entries.set(name, { fingerprint, bytes: size, ...tryOpen(join(folder, name), name) })
    }
  }
}

/** The names of the address packs that lie in a folder, whether or not they are good. */
export function listAddressPackFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^address(?:es|-ranges)[\w.-]*\.sqlite$/.test(name))
      .toSorted()
      .slice(0, maxFiles)
  } catch {
    return [] // no folder: no packs
  }
}

const scanInterval_ms = 1_000
const maxFiles = 200
const maxMatches = 10
/** What is worse than the best by more is no rival to it. */
const maxScoreGap = 0.1
const samePlace_m = 150
const accuracyOrder = ['rooftop', 'nearest_rooftop_match', 'intersection', 'range_interpolation', 'street_center']

type Entry = { fingerprint: string; bytes: number; pack: AddressPack | null; reason: string | null }

/** Whatever goes wrong with one file is told of that file, and of no other. */
function tryOpen(path: string, name: string): Pick<Entry, 'pack' | 'reason'> {
  try {
    return { pack: openAddressPack(path), reason: null }
  } catch (error) {
    return {
      pack: null,
      reason:
        error instanceof PackError
          ? error.message
          : `${name} could not be opened: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

/** The best matches: places that differ, without those that are much worse, coarser than another of the same street, or only a street. */
function selectBest(matches: LocalMatch[]): AddressMatch[] {
  const precise = matches.filter(({ accuracy_type }) => accuracy_type !== 'street_center')
  const ordered = (precise.length > 0 ? precise : matches).toSorted(
    (a, b) => b.score - a.score || accuracyOrder.indexOf(a.accuracy_type) - accuracyOrder.indexOf(b.accuracy_type),
  )
  const minScore = (ordered[0]?.score ?? 0) - maxScoreGap
  const selected: LocalMatch[] = []
  for (const match of ordered) {
    if (
      match.score < minScore - 1e-9 ||
      selected.some((better) => distanceBetween_m(better, match) <= samePlace_m || supersedes(better, match))
    )
      continue
    selected.push(match)
  }
  return selected.slice(0, maxMatches)
}

/** Whether a match by its own point is of the same street and place as one by a range: the range is only a guess at it. */
function supersedes(better: LocalMatch, { accuracy_type, components }: LocalMatch): boolean {
  if (accuracy_type !== 'range_interpolation' || better.accuracy_type === 'range_interpolation') return false
  const finer = better.components
  return (
    finer.street?.toUpperCase() === components.street?.toUpperCase() &&
    finer.suffix === components.suffix &&
    finer.predirectional === components.predirectional &&
    finer.postdirectional === components.postdirectional &&
    finer.state === components.state &&
    (finer.zip === components.zip || finer.city?.toUpperCase() === components.city?.toUpperCase())
  )
}
