import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { PinDocument, PinList } from '../../auth/account-document.ts'
import { pinsMax } from '../../auth/pins.ts'
import { fieldsPerRequestMax } from '../../catalog/records.ts'
import { selectFields } from '../../fetch/catalog/select.ts'
import { formatTimestamp } from '../../model/text.ts'
import { requireInsideUs } from '../../place/locate.ts'
import type { PinContent, StoredPin } from '../../store/accounts/pins.ts'
import { accountOf } from '../request/guard.ts'
import { createBodyReader, type BodyRule } from '../request/json-body.ts'
import { textViolations } from '../places/location.ts'
import { defineOperations } from '../request/operation.ts'
import { createViolation } from '../request/violations.ts'

const nameMax_characters = 100

const PinBody = Type.Object({
  name: Type.String({ description: `A name to recognize the pin by, at most ${nameMax_characters} characters.` }),
  place: Type.Optional(
    Type.Object({ lat: Type.Number(), lng: Type.Number() }, { description: 'A coordinate in the US to pin.' }),
  ),
  preset: Type.Optional(Type.String({ description: 'A preset of the catalog to pin.' })),
  fields: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: `Names of fields to pin as a preset of your own, at most ${fieldsPerRequestMax}.`,
    }),
  ),
})

const path = '/v1/users/me/pins'
export const pinOperations = defineOperations('Account', {
  [`GET ${path}`]: {
    scope: 'fetch',
    limits: 'minute',
    summary: 'List pins',
    description: 'Your pinned places, presets and fields, oldest first.',
    responses: { 200: PinList },
  },
  [`POST ${path}`]: {
    scope: 'fetch',
    writes: true,
    summary: 'Pin a place or fields',
    description: `Keeps a place, a preset, or fields of your choice under a name. Explore offers the pins of your account. An account can have ${pinsMax} pins.`,
    body: PinBody,
    examples: {
      place: { name: 'Denver office', place: { lat: 39.7392, lng: -104.9903 } },
      fields: { name: 'Jurisdiction', fields: ['county', 'state', 'timezone'] },
    },
    responses: { 201: PinDocument },
    errorCodes: ['coord_out_of_bounds', 'preset_unknown', 'fields_unknown', 'fields_too_many', 'pin_limit_reached'],
  },
  [`DELETE ${path}/{pin_id}`]: {
    scope: 'fetch',
    limits: 'none',
    writes: true,
    summary: 'Remove a pin',
    description: 'Removes a pin of your account.',
    path: { pin_id: 'The id of the pin.' },
    responses: { 204: null },
    errorCodes: ['pin_not_found'],
  },
})

const requireOneContent: BodyRule = (body) => [
  ...(typeof body.name === 'string' ? textViolations(body.name, ['body', 'name'], nameMax_characters) : []),
  ...([body.place, body.preset, body.fields].filter((it) => it !== undefined).length === 1
    ? []
    : [createViolation('value_error', ['body'], 'Value error, give one of place, preset and fields', body)]),
]
const readPinBody = createBodyReader(PinBody, requireOneContent)

export const pinRoutes = (app: App) =>
  new Elysia()
    .get(path, async ({ request }) => {
      const pins = await app.access.pins.list(accountOf(request))
      return { items: pins.map(pinDocumentOf), next_cursor: null }
    })
    .post(path, async ({ request, set }) => {
      const { name, ...body } = await readPinBody(request)
      const pin = await app.access.pins.create(accountOf(request), { name, content: contentOf(body, app) })
      set.status = 201
      return pinDocumentOf(pin)
    })
    .delete(`${path}/:pin_id`, async ({ request, params: { pin_id } }) => {
      await app.access.pins.remove(accountOf(request), pin_id)
      return new Response(null, { status: 204 })
    })

type PinnedMembers = Omit<typeof PinBody.static, 'name'>

/** The content of a pin. The names of its fields are checked now, so that no pin fails from the start. */
function contentOf({ place, preset, fields }: PinnedMembers, { catalog }: App): PinContent {
  if (place) {
    requireInsideUs(place)
    return { place: { lat: place.lat, lng: place.lng } }
  }
  const names = selectFields({ preset, fields }, 'union', catalog).map(({ name }) => name)
  return preset === undefined ? { fields: names } : { preset }
}

function pinDocumentOf({ id, name, content, created_at }: StoredPin): PinDocument {
  return {
    id,
    name,
    place: 'place' in content ? content.place : null,
    preset: 'preset' in content ? content.preset : null,
    fields: 'fields' in content ? content.fields : null,
    created_at: formatTimestamp(created_at),
  }
}
