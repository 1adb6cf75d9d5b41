import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { distanceBetween_m } from '../../geo/ecef.ts'
import { normalizeWords } from '../../address/tokenizer.ts'
import type { AddressMatch, ParsedAddress } from '../../address/address.ts'
import type { Budget } from '../../model/source.ts'
import { townKeyOf } from '../../address/town.ts'
import { leastCache_kib, openAddressPack, type AddressPack } from './address-pack.ts'
import { matchAddress, type LocalMatch } from './match-address.ts'
import type { CheckPack } from '../check/pack-checker.ts'
import { FileError } from '../../files/file-error.ts'

/** The status of an address pack, as shown to the operator. */
type AddressPackStatus = {
  file: string
  state: 'checking' | 'live' | 'rejected'
  /** Why the file is rejected. */
  reason: string | null
  bytes: number
  metadata: Readonly<Record<string, string>>
}

/** The local geocoder: every address pack in the folder. */
export type AddressPackFolder = {
  /**
   * Returns the matches, best first; several if the address is ambiguous. Returns a `street_center` only if no pack has
   * the house number.
   * @throws UpstreamError if a pack cannot be read.
   */
  find(address: ParsedAddress, budget: Budget): AddressMatch[]
  /**
   * Whether a pack has any street in the ZIP code or town. An address it does not find there probably does not exist.
   */
  covers(address: ParsedAddress): boolean
  /**
   * Waits for the checks of packs up to a size, by default those that end within a request. Returns whether all packs
   * are checked.
   */
  waitForChecks(max_bytes?: number): Promise<boolean>
  list(): AddressPackStatus[]
  /** A text that changes when a pack is added, removed or changed; empty without packs. */
  edition(): string
  close(): void
}

/** `check` runs before a pack is used. Null: the files are trusted, because this program just built them. */
type AddressPackFolderOptions = { now?: () => Date; check?: CheckPack | null }

/**
 * Opens the `addresses*.sqlite` and `address-ranges*.sqlite` files of a folder. Notices changed files within a
 * second.
 */
export function openAddressPackFolder(
  folder: string,
  { now = () => new Date(), check = null }: AddressPackFolderOptions = {},
): AddressPackFolder {
  const packs = new ScannedPacks(folder, now, check)
  // The checks of the first scan end before the first address comes.
  if (check) packs.entries()
  return {
    find(address, { signal }) {
      const matches: LocalMatch[] = []
      for (const pack of packs.live()) {
        signal.throwIfAborted()
        matches.push(...matchAddress(pack, address))
      }
      return selectBest(matches)
    },
    covers: ({ city, state, zip }) =>
      packs
        .live()
        .some(
          (pack) =>
            (zip !== undefined && pack.hasZip(zip.slice(0, 5))) ||
            (city !== undefined && pack.hasCity(townKeyOf(normalizeWords(city)), state ?? null)),
        ),
    waitForChecks: (max_bytes = awaited_bytes) => packs.waitForChecks(max_bytes),
    list: () =>
      packs.entries().map(([file, entry]) => ({
        file,
        state: entry.pack ? 'live' : entry.reason === null ? 'checking' : 'rejected',
        reason: entry.reason,
        bytes: entry.bytes,
        metadata: entry.pack?.metadata ?? {},
      })),
    edition: () =>
      packs
        .entries()
        .filter(([, { pack, check }]) => pack !== null || check !== null)
        .map(([name, { fingerprint, check }]) => `${name}:${fingerprint}${check ? ':checking' : ''}`)
        .join(),
    close: () => packs.close(),
  }
}

/** The packs of a folder. Every access scans the folder, but at most once per `scanInterval_ms`. */
class ScannedPacks {
  readonly #folder: string
  readonly #now: () => Date
  readonly #check: CheckPack | null
  readonly #entries = new Map<string, Entry>()
  #lastScan_ms = -Infinity
  #cachePerPack_kib = leastCache_kib

  constructor(folder: string, now: () => Date, check: CheckPack | null) {
    this.#folder = folder
    this.#now = now
    this.#check = check
  }

  entries(): [file: string, entry: Entry][] {
    this.#scan()
    return [...this.#entries]
  }

  live(): AddressPack[] {
    return this.entries().flatMap(([, { pack }]) => pack ?? [])
  }

  async waitForChecks(max_bytes: number): Promise<boolean> {
    const running = this.entries().flatMap(([, entry]) => (entry.check ? [entry] : []))
    await Promise.all(running.flatMap(({ bytes, check }) => (check && bytes <= max_bytes ? [check] : [])))
    return running.every(({ check }) => check === null)
  }

  close(): void {
    for (const { pack } of this.#entries.values()) pack?.close()
    this.#entries.clear()
    this.#lastScan_ms = Infinity
  }

  #scan(): void {
    const now_ms = this.#now().getTime()
    if (Math.abs(now_ms - this.#lastScan_ms) < scanInterval_ms || this.#lastScan_ms === Infinity) return
    this.#lastScan_ms = now_ms
    const names = listAddressPackFiles(this.#folder)
    for (const [name, { pack }] of this.#entries) {
      if (names.includes(name)) continue
      pack?.close()
      this.#entries.delete(name)
    }
    this.#cachePerPack_kib = Math.max(leastCache_kib, Math.floor(cache_kib / Math.max(1, names.length)))
    for (const name of names) this.#update(name)
  }

  #update(name: string): void {
    const path = join(this.#folder, name)
    const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { ino: 0, size: 0, mtimeMs: 0 }
    const fingerprint = `${ino}:${size}:${mtimeMs}`
    const previous = this.#entries.get(name)
    if (previous?.fingerprint === fingerprint) return
    // A file that was replaced stays open until its successor is checked. One that was overwritten cannot be read.
    const isReplaced = this.#check !== null && previous !== undefined && !previous.fingerprint.startsWith(`${ino}:`)
    if (!isReplaced) previous?.pack?.close()
    const entry: Entry = {
      fingerprint,
      bytes: size,
      pack: isReplaced ? previous.pack : null,
      reason: null,
      check: null,
    }
    this.#entries.set(name, entry)
    if (this.#check) entry.check = this.#checkAndOpen(this.#check, path, entry).finally(() => (entry.check = null))
    else Object.assign(entry, tryOpen(path, this.#cachePerPack_kib))
  }

  async #checkAndOpen(check: CheckPack, path: string, entry: Entry): Promise<void> {
    const name = basename(path)
    const reason = await check(path, null).then(
      () => null,
      (error: unknown) => reasonOf(error, name),
    )
    // The file was removed or replaced, or the service closed, during the check.
    if (this.#entries.get(name) !== entry) return
    entry.pack?.close()
    Object.assign(entry, reason === null ? tryOpen(path, this.#cachePerPack_kib) : { pack: null, reason })
  }
}

/** The name of a file with an address pack. */
export const addressPackPattern = /^address(?:es|-ranges)[\w.-]*\.sqlite$/

/** The names of the address packs in a folder, valid or not. */
export function listAddressPackFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => addressPackPattern.test(name))
      .toSorted()
      .slice(0, maxFiles)
  } catch {
    return [] // A missing folder has no packs.
  }
}

const scanInterval_ms = 1_000
const maxFiles = 200
/** The check of a larger file can take longer than a request may wait. */
const awaited_bytes = 64 * 1024 ** 2
/** The pages that few packs keep in memory together: addresses are at random places of a file. */
const cache_kib = 16_384
const maxMatches = 10
/** Matches whose score is lower than the best by more than this are dropped. */
const maxScoreGap = 0.1
const samePlace_m = 150
const accuracyOrder = ['rooftop', 'nearest_rooftop_match', 'intersection', 'range_interpolation', 'street_center']

type Entry = {
  fingerprint: string
  bytes: number
  pack: AddressPack | null
  reason: string | null
  /** The check that is running. */
  check: Promise<void> | null
}

/** Opens a pack or returns the reason why not. An error of one file never affects another. */
function tryOpen(path: string, cachePerPack_kib: number): Pick<Entry, 'pack' | 'reason'> {
  try {
    return { pack: openAddressPack(path, cachePerPack_kib), reason: null }
  } catch (error) {
    return { pack: null, reason: reasonOf(error, basename(path)) }
  }
}

function reasonOf(error: unknown, name: string): string {
  if (error instanceof FileError) return error.message
  return `${name} could not be opened: ${error instanceof Error ? error.message : String(error)}`
}

/**
 * The best matches at distinct places. Drops much worse ones, coarser ones of the same street, and bare street
 * centers.
 */
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

/** Whether a better match makes an interpolated match on the same street redundant. */
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
