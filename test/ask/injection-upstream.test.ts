import { afterAll, describe, expect, test } from 'bun:test'
import type { AskAnswer } from '../../src/ask/answer/ask-answer.ts'
import { openTestService } from '../support/test-service.ts'
import { geocoders } from '../upstreams/geocoders.ts'
import { jsonAnswer, type SimulatedService } from '../upstreams/service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { attacks } from './attacks.ts'
import { modelKey, openModelService } from './model-service.ts'
import { expectSafeAnswer } from './expectations.ts'

/** A hostile weather service: the attack is the name of every alert. */
let attack = ''
const alerts: SimulatedService = {
  host: 'api.weather.gov',
  answer: () =>
    jsonAnswer({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          geometry: null,
          properties: {
            event: attack,
            status: 'Actual',
            messageType: 'Alert',
            severity: 'Extreme',
            sent: '2026-01-01T00:00:00Z',
          },
        },
      ],
    }),
}
const upstreams = openUpstreams({ services: [alerts, ...geocoders] })
const secrets = {
  CENSUS_API_KEY: 'census-secret-1',
  GEOCODIO_API_KEY: 'geocodio-secret-2',
  NLR_API_KEY: 'nlr-secret-3',
  AIRNOW_API_KEY: 'airnow-secret-4',
  REGRID_API_TOKEN: 'regrid-secret-5',
}
const online = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, ...secrets }
const { api, service, close } = openModelService(online)
const builtIn = openTestService(online)
afterAll(async () => {
  await close()
  await builtIn.close()
  upstreams.close()
})

/** The first geocoding of a process is slower. */
const timeout_ms = 30_000
const question = 'Is there a weather alert here?'
const boulder = { lat: 40.015, lng: -105.2705 }
const address = '1777 Broadway, Boulder, CO 80302'
/** The field accepts only texts with small letters. */
const each = attacks.map((attack, i): [attack: string, at: { lat: number; lng: number }] => [
  /[a-z]/.test(attack) ? attack : `${attack} storm`,
  { lat: 25.7 + i / 1000, lng: -80.2 },
])
const plan = {
  says: { fields: ['most_severe_weather_alert', 'county'], preset: null, answerable: true, reasoning: 'x' },
}

/** All requests to models, and the secrets that must not be in them. */
async function expectNoSecrets(): Promise<void> {
  const requests = JSON.stringify(api.calls.map(({ body }) => body))
  const { id } = await service.app.accounts.authenticate(`Bearer ${service.token}`)
  for (const secret of [modelKey, service.token, `"${id}`, service.app.config.data, ...Object.values(secrets)])
    expect(requests).not.toContain(secret)
  expect(requests).not.toMatch(/fst_[a-z]+_|Bearer |api_key=/i)
}

/** A text with a tag is an error page, not a value. */
const isMarkup = (text: string) => /<[!/]?[a-z]/i.test(text)

describe('an attack in an upstream value', () => {
  test.each(each)('is shown as text, or fails the field, without a model: %p', async (text, at) => {
    attack = text
    const response = await builtIn.post('/v1/ask', { question, ...at })
    const answer = (await response.json()) as AskAnswer
    expect(answer.fields.most_severe_weather_alert).toMatchObject(
      isMarkup(text) ? { status: 'failed', error: expect.stringMatching(/^bad_value/) } : { status: 'ok', value: text },
    )
    expectSafeAnswer(answer, at)
  })

  test.each(each)(
    'changes nothing but data of the prompt, and is shown as text, or fails the field, when the model repeats it: %p',
    async (text, at) => {
      attack = text
      api.play(
        [plan],
        [{ says: { answer: `The alert is ${text} [1]. ${text}`, fields_used: ['most_severe_weather_alert', text] } }],
      )
      const response = await service.post('/v1/ask', { question, ...at })
      const answer = (await response.json()) as AskAnswer
      expect(Object.keys(answer.fields)).toEqual(['most_severe_weather_alert', 'county'])
      expectSafeAnswer(answer, at)
      await expectNoSecrets()
      const [planned, written] = api.calls.map(
        ({ body }) => body as { system: unknown; messages: { role: string; content: string }[] },
      )
      expect(JSON.stringify(planned)).not.toContain(JSON.stringify(text).slice(1, -1))
      expect(JSON.stringify(written!.system)).not.toContain(JSON.stringify(text).slice(1, -1))
      const { values } = JSON.parse(written!.messages[0]!.content) as { values: { field: string; value: unknown }[] }
      expect([written!.messages.length, written!.messages[0]!.role]).toEqual([1, 'user'])
      if (isMarkup(text)) expect(JSON.stringify(values)).not.toContain(JSON.stringify(text).slice(1, -1))
      else expect(values[0]).toMatchObject({ field: 'most_severe_weather_alert', value: text })
    },
  )
})

describe('an attack in an address', () => {
  const places: [how: string, of: (attack: string) => string][] = [
    ['alone', (attack) => attack],
    ['after a good one', (attack) => `${address} ${attack}`],
    ['before a good one', (attack) => `${attack} ${address}`],
  ]

  test.each(attacks)(
    'is rejected or resolves to a found place, and is sent to no model: %p',
    async (text) => {
      for (const [, of] of places) {
        api.play(
          [{ says: { fields: ['county'], preset: null, answerable: true, reasoning: 'x' } }],
          [{ says: { answer: 'It is in Boulder County [1].', fields_used: ['county'] } }],
        )
        for (const at of [service, builtIn]) {
          const response = await at.post('/v1/ask', { question: 'What county is this in?', address: of(text) })
          expect([200, 400, 404, 422, 503]).toContain(response.status)
          if (response.ok) expectSafeAnswer((await response.json()) as AskAnswer, boulder)
        }
        await expectNoSecrets()
        expect(JSON.stringify(api.calls.map(({ body }) => body))).not.toContain(JSON.stringify(of(text)).slice(1, -1))
      }
    },
    timeout_ms,
  )

  test('a valid address is found, so the rejections above are caused by the attacks', async () => {
    api.play(
      [{ says: { fields: ['county'], preset: null, answerable: true, reasoning: 'x' } }],
      [{ says: { answer: 'It is in Boulder County [1].', fields_used: ['county'] } }],
    )
    const response = await service.post('/v1/ask', { question: 'What county is this in?', address })
    expectSafeAnswer((await response.json()) as AskAnswer, boulder)
    expect(JSON.stringify(api.calls.map(({ body }) => body))).not.toContain('1777')
  })
})

test('no attack caused requests to any host but the weather service and the geocoders', () => {
  const hosts = new Set(upstreams.calls.map(({ host }) => host))
  expect(
    [...hosts].filter((host) => !['api.weather.gov', 'geocoding.geo.census.gov', 'api.geocod.io'].includes(host)),
  ).toEqual([])
  expect(hosts.size).toBeGreaterThan(1)
})
