import { stateCodes } from '../../address/abbreviations.ts'
import type { EnglishWordCheck } from '../../place/english-words.ts'
import { capitalize } from './subject.ts'
import { isContentWord, splitWordsKeepingCase } from './words.ts'

/** A position in the words of a question; `to` is exclusive. */
export type WordSpan = { from: number; to: number }

/**
 * A place that a question names: a town with its state, if given, or an address. `isCertain` is false for a
 * capitalized name without a state and without a preposition, which may not be a place at all.
 */
export type PlaceMention = WordSpan & {
  text: string
  town: string | null
  state: string | null
  isAddress: boolean
  isCertain: boolean
}

/**
 * Finds place names: capitalized words, as in "near Cape Coral, FL" and "Is Miami Beach dry?", and addresses. In a
 * question in title case, only addresses are found.
 */
export function placeMentionsIn(question: string, isEnglishWord: EnglishWordCheck): PlaceMention[] {
  const words = splitWordsKeepingCase(question)
  const addresses = addressesIn(words)
  if (isTitleCase(words)) return addresses
  const names: PlaceMention[] = []
  for (let i = 0; i < words.length && names.length < mentionsMax; i++) {
    if (!isCapital(words[i]!) || addresses.some(({ from, to }) => i >= from && i < to)) continue
    if (beginsSentence(words, i) && isOrdinaryWord(words[i]!.toLowerCase(), isEnglishWord)) continue
    const mention = mentionAt(words, i)
    if (mention) names.push(mention)
    i = (mention?.to ?? capitalsEnd(words, i)) - 1
  }
  return [...addresses, ...names].slice(0, mentionsMax)
}

/** Each name is looked up in the list of towns. */
const mentionsMax = 8
const lowercaseMentionsMax = 16
const lowercaseNameMax_words = 3

/**
 * Finds what may be names of towns in lowercase, as in "is denver dry?" and "how far is boulder, co": words of which
 * one is in no dictionary, or that a state follows. None is certain, so that each must be a town.
 */
export function lowercaseMentionsIn(question: string, isEnglishWord: EnglishWordCheck): PlaceMention[] {
  const words = splitWordsKeepingCase(question)
  const isNameWord = (i: number) => /^[a-z]{2,}$/.test(words[i] ?? '') && isContentWord(words[i]!)
  const mentions = words.flatMap((_, from) => {
    const spans = Array.from({ length: lowercaseNameMax_words }, (_, i) => from + lowercaseNameMax_words - i)
    return spans.flatMap((to): PlaceMention[] => {
      const positions = words.slice(from, to).map((_, i) => from + i)
      if (to > words.length || !positions.every(isNameWord)) return []
      const state = lowercaseStateAt(words, to)
      const isName = positions.some((i) => words[i]!.length > 2 && !isEnglishWord(words[i]!))
      if (!isName && state === null) return []
      const town = words.slice(from, to).map(capitalize).join(' ')
      const text = state === null ? town : `${town}, ${state.code}`
      return [{ from, to: state?.to ?? to, text, town, state: state?.code ?? null, isAddress: false, isCertain: false }]
    })
  })
  return mentions.slice(0, lowercaseMentionsMax)
}

/** The codes of states that are also words: after a comma, they are a state only where the clause ends. */
const codesThatAreWords = new Set(['al', 'as', 'de', 'hi', 'id', 'in', 'la', 'ma', 'me', 'oh', 'ok', 'or', 'pa'])

/** Parses a state in lowercase: a name, or a code after a comma. */
function lowercaseStateAt(words: string[], at: number): { code: string; to: number } | null {
  if (words[at] === ',') {
    const word = words[at + 1] ?? ''
    const code = stateCodes.get(word.toUpperCase())
    const isState = !codesThatAreWords.has(word) || !/^\w/.test(words[at + 2] ?? '')
    if (code !== undefined && isState) return { code, to: at + 2 }
  }
  const from = words[at] === ',' ? at + 1 : at
  for (const length of [2, 1]) {
    const name = words.slice(from, from + length).join(' ')
    const code = name.length > 2 ? stateCodes.get(name.toUpperCase()) : undefined
    if (code !== undefined) return { code, to: from + length }
  }
  return null
}

function mentionAt(words: string[], from: number): PlaceMention | null {
  const end = capitalsEnd(words, from)
  // "Denver County" asks for the county. A county or a state contains many places, so it cannot be located as one.
  const isCounty = countyWords.test(words[end - 1]!) || countyWords.test(words[end] ?? '')
  const { to, state } = isCounty ? { to: countyNameEnd(words, from, end), state: null } : splitState(words, from, end)
  const hasPreposition = placePrepositions.has(words[from - 1]?.toLowerCase() ?? '')
  if (state === null && !hasPreposition && beginsSentence(words, from)) return null
  const name = words.slice(from, to).join(' ')
  const isState = stateCodes.has(name.toUpperCase())
  return {
    from,
    to: state?.to ?? to,
    text: state === null ? name : `${name}, ${state.code}`,
    town: isCounty || isState || dateWords.has(name) ? null : name,
    state: state?.code ?? null,
    isAddress: false,
    isCertain: hasPreposition || isState || state !== null,
  }
}

/** Finds `1600 Pennsylvania Ave NW, Washington, DC`: a number, capitalized words, and a town with its state. */
function addressesIn(words: string[]): PlaceMention[] {
  return words.flatMap((word, from) => {
    if (!/^\d{1,6}[A-Za-z]?$/.test(word) || !/^(?:[A-Z]|\d+(?:st|nd|rd|th)$)/.test(words[from + 1] ?? '')) return []
    let to = from + 1
    while (to < words.length && (words[to] === ',' || /^(?:[A-Z]|\d)/.test(words[to]!))) to++
    while (words[to - 1] === ',') to--
    const text = words.slice(from, to).join(' ').replaceAll(' ,', ',')
    const hasState = words.slice(from + 2, to).some((it) => /^[A-Z]{2}$/.test(it) && stateCodes.has(it))
    return hasState && text.includes(',')
      ? [{ from, to, text, town: null, state: null, isAddress: true, isCertain: true }]
      : []
  })
}

/** Whether all words are capitalized, as in "How Far Is The Coast", so that capitals do not mark names. */
function isTitleCase(words: string[]): boolean {
  const inside = words.filter((word, i) => /^[a-z]/i.test(word) && !beginsSentence(words, i))
  const capitalized = inside.filter((word) => isCapital(word) && !isContentWord(word.toLowerCase())).length
  return capitalized > 1 || (capitalized === 1 && !inside.some((word) => /^[a-z]{4}/.test(word)))
}

function capitalsEnd(words: string[], from: number): number {
  let to = from
  while (isCapital(words[to] ?? '')) to++
  return to
}

/** Ends a name where a state follows it, with or without a comma: `Miami Florida`. */
function splitState(words: string[], from: number, to: number) {
  for (const at of [to - 2, to - 1]) {
    const state = at > from ? stateAt(words, at) : null
    if (state?.to === to) return { to: at, state }
  }
  return { to, state: stateAt(words, to) }
}

/** Parses the state at a position, after an optional comma: `, Colorado`, `CO`, `, New Mexico`. */
function stateAt(words: string[], at: number): { code: string; to: number } | null {
  const from = words[at] === ',' ? at + 1 : at
  for (const length of [2, 1]) {
    const name = words.slice(from, from + length).join(' ')
    const code = /^[A-Z]/.test(name) ? stateCodes.get(name.toUpperCase()) : undefined
    if (code !== undefined) return { code, to: from + length }
  }
  return null
}

const placePrepositions = new Set(['in', 'near', 'around', 'outside', 'at', 'of', 'to', 'by', 'from', 'for', 'than'])
const countyWords = /^(?:county|parish|borough)$/i
const dateWords = new Set(
  `January February March April May June July August September October November December
  Monday Tuesday Wednesday Thursday Friday Saturday Sunday Christmas Easter`.split(/\s+/),
)

/** Returns where the name of a county ends, without the word County. */
function countyNameEnd(words: string[], from: number, end: number): number {
  return Math.max(from + 1, countyWords.test(words[end - 1]!) ? end - 1 : end)
}

function beginsSentence(words: string[], i: number): boolean {
  return i === 0 || /^[.?!:]$/.test(words[i - 1]!)
}

function isOrdinaryWord(word: string, isEnglishWord: EnglishWordCheck): boolean {
  return !isContentWord(word) || isEnglishWord(word)
}

function isCapital(word: string): boolean {
  return /^[A-Z][a-z]/.test(word)
}
