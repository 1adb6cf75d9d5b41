import { expect, test } from 'bun:test'
import { requestErrorOf } from '../../src/web/request.ts'
import { openTestService } from '../support/test-service.ts'

test.each([
  [{ preset: 'solar' }, /^Unknown preset "solar"\. The nearest are solar_siting, \w+, \w+\.$/],
  [{ fields: ['elevaton'] }, /^Unknown field "elevaton"\. Did you mean "elevation"\? Field names .*\.$/],
  [{}, /^No fields requested\. Name at least one field in `fields`, or a `preset`\.$/],
])('the error of %j names no endpoint in a browser', async (selection, message) => {
  const service = openTestService()
  const body = JSON.stringify({ lat: 39.7392, lng: -104.9903, ...selection })
  const headers = { 'content-type': 'application/json' }
  const response = await service.send('/v1/fetch', { method: 'POST', headers, body })
  await service.close()
  expect((await requestErrorOf(response)).message).toMatch(message)
})
