import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { removeNullMembers } from '../../src/model/record.ts'
import { nullable } from '../../src/model/schema.ts'

const Schema = Type.Object({
  name: Type.String(),
  limit: Type.Optional(Type.Union([Type.Integer(), Type.Literal('none')])),
  note: Type.Optional(nullable('string')),
  anything: Type.Optional(Type.Unknown()),
  inner: Type.Optional(Type.Object({ lat: Type.Optional(Type.Number()) })),
  places: Type.Optional(Type.Array(Type.Object({ lat: Type.Optional(Type.Number()), lng: Type.Number() }))),
})

test.each([
  ['an optional member', { name: 'x', limit: null }, { name: 'x' }],
  ['a required member, which stays', { name: null }, { name: null }],
  ['a member that allows null, which stays', { name: 'x', note: null }, { name: 'x', note: null }],
  ['a member that allows everything, which stays', { name: 'x', anything: null }, { name: 'x', anything: null }],
  ['an unknown member, which stays', { name: 'x', other: null }, { name: 'x', other: null }],
  ['a member of a member', { name: 'x', inner: { lat: null } }, { name: 'x', inner: {} }],
  [
    'a member of an item, but not its required member',
    { name: 'x', places: [{ lat: null, lng: 1 }, null, { lat: 0, lng: null }] },
    { name: 'x', places: [{ lng: 1 }, null, { lat: 0, lng: null }] },
  ],
  [
    'a member that only the prototype has',
    JSON.parse('{"name":"x","__proto__":null}') as unknown,
    { name: 'x', ['__proto__']: null },
  ],
  ['a list instead of an object', [null], [null]],
  ['null itself', null, null],
])('a null is removed from %s', (_name, value, expected) => expect(removeNullMembers(Schema, value)).toEqual(expected))
