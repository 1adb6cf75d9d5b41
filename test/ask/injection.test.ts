import { afterAll, describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import type { AskAnswer } from '../../src/ask/answer/ask-answer.ts'
import type { Fact } from '../../src/ask/answer/fact.ts'
import { sourceNumbers } from '../../src/ask/answer/citations.ts'
import { createTextSanitizer, sanitizeText } from '../../src/ask/answer/plain-text.ts'
import { writeFromTemplates } from '../../src/ask/answer/template-writer.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { openTestService } from '../support/test-service.ts'
import { attacks } from './attacks.ts'
import { modelKey, miami, openModelService } from './model-service.ts'
import { expectPlainText, expectSafeAnswer } from './expectations.ts'

const catalog = createCatalog(contents)
const { api, service, close } = openModelService()
const offline = openTestService()
afterAll(async () => {
  await close()
  await offline.close()
})

test('there are sixty attacks', () => expect(new Set(attacks).size).toBe(60))

describe('an attack', () => {
  test.each(attacks)('in a question changes nothing without a model: %p', async (attack) => {
    for (const question of [attack, `What county is this in? ${attack}`]) {
      const response = await offline.post('/v1/ask', { question, ...miami })
      expect(response.status).toBe(200)
      expectSafeAnswer((await response.json()) as AskAnswer, miami)
    }
  })

  test.each(attacks)('in a question changes nothing even if both models obey it: %p', async (attack) => {
    api.play(
      [
        {
          says: {
            fields: ['secret_field', attack, 'county'],
            preset: attack,
            answerable: true,
            reasoning: attack,
            lat: 0,
            lng: 0,
          },
        },
      ],
      [{ says: { answer: `${attack} [1] ${attack}`, fields_used: [attack, 'secret_field', 'county'] } }],
    )
    const response = await service.post('/v1/ask', { question: attack, ...miami })
    expect(response.status).toBe(200)
    const answer = (await response.json()) as AskAnswer
    expectSafeAnswer(answer, miami)
    expect(answer.citations.map(({ fields }) => fields)).toEqual([['county']])
    expect(JSON.stringify(api.calls.map(({ body }) => body))).not.toContain(modelKey)
  })

  test.each(attacks)('in a source value is shown as text and cites nothing: %p', (attack) => {
    const names = ['county', 'nearest_airport_name', 'nearest_airport_distance_m']
    const facts: Fact[] = names.map((name, i) => ({
      field: catalog.fields.get(name)!,
      result: {
        value: i === 2 ? 1200 : attack,
        status: 'ok',
        source: `source_${i}`,
        unit: i === 2 ? 'm' : null,
        source_url: 'https://example.org/',
        ttl_seconds: 1,
        confidence: 'high',
        fetched_at: '2026-11-28T00:00:00.000+00:00',
        dataset_vintage: null,
        notes: null,
        driver: 'rest',
      },
    }))
    expectPlainText(writeFromTemplates({ question: 'which county and airport?', facts }).lines.join('\n'), [
      ...sourceNumbers(facts).values(),
    ])
  })

  test.each(attacks)('in an address is rejected or not found in the US: %p', async (attack) => {
    const response = await offline.post('/v1/ask', { question: 'What county is this in?', address: attack })
    expect([400, 404, 422, 503]).toContain(response.status)
  })

  test.each(attacks)('is sanitized the same way in pieces as in one text: %p', (attack) => {
    const text = `before ${attack} [1] after`
    const citable = new Set([1])
    const clean = createTextSanitizer(citable)
    const pieces = [...text].map((letter) => clean.push(letter)).join('') + clean.end()
    expectPlainText(pieces, [1])
    expectPlainText(sanitizeText(text, citable), [1])
  })
})
