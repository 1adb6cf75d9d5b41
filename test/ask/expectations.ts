import { expect } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import type { AskAnswer } from '../../src/ask/answer/ask-answer.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import type { Point } from '../../src/model/place.ts'
import { modelKey } from './model-service.ts'

const catalog = createCatalog(contents)
const pages = new Set(
  [...catalog.datasets.values(), ...catalog.fields.values()].flatMap((record) =>
    'source_url' in record ? [record.source_url] : [],
  ),
)

/** Expects plain text: no tags, no links, and only citations of these sources. */
export function expectPlainText(answer: string, ids: number[]): void {
  expect(answer).not.toMatch(/<[a-z!/]|:\/\/|\]\(|www\.|javascript:|data:text/i)
  expect([...answer.matchAll(/\[([^\]]*)\]/g)].map(([, id]) => Number(id)).filter((id) => !ids.includes(id))).toEqual(
    [],
  )
  expect(answer).not.toContain(modelKey)
}

/** Expects only known fields, the requested place, fetched sources, and URLs from the catalog. */
export function expectSafeAnswer({ answer, citations, fields, resolved_location }: AskAnswer, at: Point): void {
  expectPlainText(
    answer,
    citations.map(({ id }) => id),
  )
  expect(Object.keys(fields).filter((name) => !catalog.fields.has(name))).toEqual([])
  expect(Object.keys(fields).length).toBeLessThanOrEqual(15)
  expect({ lat: resolved_location.lat, lng: resolved_location.lng }).toEqual({ lat: at.lat, lng: at.lng })
  const sources = new Set(Object.values(fields).map(({ source }) => source))
  expect(citations.filter(({ source }) => !sources.has(source))).toEqual([])
  expect(citations.map(({ source_url }) => source_url).filter((url) => !pages.has(url))).toEqual([])
}
