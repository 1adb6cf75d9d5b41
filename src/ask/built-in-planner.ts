import type { Catalog } from '../catalog/catalog.ts'
import { openFieldSearch } from '../catalog/field-search.ts'
import { attributesAsked } from './attributes.ts'
import { companionsOf, coreOf } from './core.ts'
import { setAside } from './exclusions.ts'
import { placeNamesIn } from './place-names.ts'
import { planOf, plannedMax, type Plan } from './plan.ts'
import { openSpelling } from './spelling.ts'
import { openPhrases, type Topic } from './topics.ts'
import { isTelling, stemOf, wordsOf } from './words.ts'

/** Finds the fields that answer a question without a model: by phrases that people use, by the names of fields, and by full-text search for the rest. */
export type BuiltInPlanner = { plan(question: string): Plan; close(): void }

/** What is taken from the search for words that no phrase accounts for, and when there is nothing else. */
const beside = 4
const alone = 8

/** Reads a catalog once, so that each question takes some milliseconds. */
export function openBuiltInPlanner(catalog: Catalog): BuiltInPlanner {
  const search = openFieldSearch(catalog)
  const phrases = openPhrases(catalog.synonyms)
  const surveys = openPhrases([...catalog.presets].flatMap(([preset, { phrases = [] }]) => phrases.map((phrase): [string, string] => [phrase, preset])))
  const cores = [...catalog.fields.keys()].map((name) => ({ name, core: coreOf(name) })).filter(({ core }) => core.length > 0)
  const vocabulary = vocabularyOf(catalog)
  const spelled = openSpelling(vocabulary)
  return { plan: planned, close: search.close }

  function planned(question: string): Plan {
    const named = placeNamesIn(question)
    const words = wordsOf(question).map((word, i) => (isWithin(i, named) ? word : spelled(word)))
    const aside = setAside(words)
    const stays = ({ from }: Topic<unknown>) => !aside[from]
    const survey = surveys(words).filter((it) => stays(it) && !isOfOneThing(words, it))
    const topics = phrases(words).filter(({ from, to }) => !survey.some((it) => it.from <= from && it.to >= to && it.to - it.from > to - from) && !named.some((it) => it.from < to && it.to > from && (it.from < from || it.to > to)))
    const spoken = words.filter((_, i) => !aside[i] && !isWithin(i, named))
    const meant = topics.filter(stays).map(({ meant }) => meant)
    const byName = namedBy(spoken)
    const left = words.filter((word, i) => !aside[i] && isTelling(word) && !isWithin(i, [...topics, ...survey, ...named]) && !byName.some(({ core }) => core.includes(stemOf(word))))
    const isSure = meant.length + survey.length + byName.length > 0
    const unwanted = new Set(topics.filter((topic) => !stays(topic)).flatMap(({ meant }) => meant).filter((name) => !meant.flat().includes(name)))
    const found = isSure || isOurs(left) ? search.find(left, isSure ? beside : alone) : []
    const groups = [...meant.map(withCompanions), attributesAsked(spoken, meant.flat(), catalog.fields.keys()), ...byName.map(({ name }) => [name]), ...counts(spoken, meant.flat())]
    const preset = survey[0]?.meant ?? null
    const names = [...inTurn(groups), ...(isSure && survey.length > 0 ? [] : found), ...survey.flatMap(({ meant }) => catalog.presets.get(meant)!.fields)].filter((name) => !unwanted.has(name))
    const plan = planOf(names, { preset, isSure, reasoning: '' }, catalog)
    return { ...plan, reasoning: reasoningOf(plan, topics.filter(stays).map(({ from, to }) => words.slice(from, to).join(' ')), left) }
  }

  /** Whether the words are of the catalog's world: where most of them are not, one that happens to occur there leads nowhere. */
  function isOurs(words: string[]): boolean {
    return words.filter((word) => vocabulary.has(stemOf(word))).length * 2 > words.length
  }

  /** Fields all of whose own words are in the question, the most exact first. */
  function namedBy(words: string[]): { name: string; core: string[] }[] {
    const stems = new Set(words.map(stemOf))
    return cores.filter(({ core }) => core.length > 1 && core.every((word) => stems.has(word))).toSorted((a, b) => b.core.length - a.core.length).slice(0, plannedMax)
  }

  function withCompanions(names: string[]): string[] {
    return [...new Set(names.flatMap((name) => [name, ...companionsOf(name, (it) => catalog.fields.has(it))]))]
  }

  /** "How many" wants the counts of what is spoken of. */
  function counts(words: string[], names: string[]): string[][] {
    const text = words.join(' ')
    if (!/\b(?:how many|number of|count of)\b/.test(text)) return []
    const found = search.find(words.filter(isTelling), plannedMax).filter((name) => /_count$|population/.test(name) && !names.includes(name))
    return [found.slice(0, 2)]
  }
}

/** Whether a word that asks for a survey is said of one thing: "safe from storm surge". */
function isOfOneThing(words: string[], { from, to }: Topic<string>): boolean {
  return to - from === 1 && /^(?:safe|safety|danger|hazard|threat)s?$/.test(words[from]!) && /^(?:from|of|for)$/.test(words[to] ?? '')
}

function vocabularyOf({ fields, presets, synonyms }: Catalog): Set<string> {
  const texts = [...synonyms.keys(), ...[...presets.values()].flatMap(({ phrases = [] }) => phrases), ...[...fields.values()].flatMap(({ name, description }) => [name.replaceAll('_', ' '), description])]
  return new Set(texts.flatMap(wordsOf).flatMap((word) => [word, stemOf(word)]))
}

function isWithin(at: number, spans: { from: number; to: number }[]): boolean {
  return spans.some(({ from, to }) => at >= from && at < to)
}

/** The first of every group, then the second of every group, and so on: no topic crowds out another. */
function inTurn(groups: string[][]): string[] {
  const longest = Math.max(0, ...groups.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => groups.flatMap((group) => group.slice(turn, turn + 1))).flat()
}

function reasoningOf({ fields, preset }: Plan, phrases: string[], left: string[]): string {
  if (fields.length === 0) return 'No word of the question leads to a field of the catalog.'
  const ways = [
    ...(phrases.length > 0 ? [`what is meant by ${[...new Set(phrases)].map((it) => `"${it}"`).join(', ')}`] : []),
    ...(preset === null ? [] : [`the preset ${preset}`]),
    ...(left.length > 0 ? [`full-text search for ${[...new Set(left)].map((it) => `"${it}"`).join(', ')}`] : []),
  ]
  return `Found without a model, by ${ways.length > 0 ? ways.join('; ') : 'the names of fields'}.`
}
