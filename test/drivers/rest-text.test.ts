import { expect, test } from 'bun:test'
import { driverErrorCode, evaluateField, startPublisher } from './publisher.ts'

const script = (body: string) => new Response(body, { headers: { 'content-type': 'text/javascript' } })
const rows = Array.from({ length: 19 }, (_, row) => Array.from({ length: 10 }, (_, column) => `'${row}.${column}'`))
const whole = `result = 'values';\nquantiles = [${rows.map((row) => `[${row.join(',')}]`).join(',')}];\nupper = [[]];`

test.each([
  ['a rain table', script(whole), { gave: 9.6 }],
  [
    'a place without a table',
    script("result = 'none';\nErrorMsg = 'Error 3.0: Selected location is not within a project area';"),
    { gave: null },
  ],
  ['a table in inches', script(`${whole}\nunit = 'english';`), 'schema_changed'],
  ['a script of something else', script("window.location = '/login';"), 'bad_response'],
  ['a truncated table', script(whole.slice(0, 200)), 'bad_response'],
  ['an invalid table', script('quantiles = [[oops]];'), 'bad_response'],
  ['many assignments without a list', script('quantiles = [['.repeat(50_000)), 'bad_response'],
  ['a table whose list begins later', script(`quantiles = ${' '.repeat(1e6)}[];\n${whole}`), { gave: 9.6 }],
  ['nothing', script(''), 'bad_response'],
  ['a page', script('<html>quantiles</html>'), 'bad_response'],
  ['a server error', new Response('', { status: 500 }), 'upstream_5xx'],
])('%s', async (_what, says, outcome) => {
  using world = startPublisher(() => says)
  expect(
    await driverErrorCode(
      evaluateField('rainfall_100yr_24h_mm', 'noaa_atlas14_pfds', world.open('noaa_atlas14_pfds', 'rest_text')),
    ),
  ).toEqual(outcome as never)
})
