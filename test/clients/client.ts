/** A client of the public interface. Arguments: the address of the server and a token. Prints what it got as JSON. */
const [address = '', token = ''] = process.argv.slice(2)
const at = { lat: 40.015, lng: -105.2705 }
// oxlint-disable-next-line typescript/no-explicit-any -- programs read answers without a schema
type Answer = Record<string, any>

async function call(method: string, path: string, body?: object, bearer = token): Promise<Answer> {
  const response = await fetch(address + path, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = text.startsWith('event:') ? (/^data: (.*)$/m.exec(text)?.[1] ?? '{}') : text
  return { status: response.status, ...(JSON.parse(json) as Answer) }
}
const post = (path: string, body: object, bearer?: string) => call('POST', path, body, bearer)

/** Submits a run and polls it until it is done. */
async function run(fields: string[]): Promise<Answer> {
  const submitted = await post('/v1/runs', { kind: 'fetch_batch', request: { locations: [at], fields } })
  for (;;) {
    const document = await call('GET', submitted.poll as string)
    if (['done', 'failed', 'cancelled'].includes(document.status as string)) return document
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Shows the code on standard error, and polls until a person has decided. */
async function login(): Promise<Answer> {
  const { user_code, device_code, interval } = await post('/v1/mcp/device/start', {})
  console.error(`code ${user_code}`)
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * (interval as number)))
    const polled = await post('/v1/mcp/device/poll', { device_code })
    if (polled.status !== 'pending') return polled
  }
}

const { presets } = await call('GET', '/v1/meta/fields')
const batch = await post('/v1/fetch/batch', { locations: [at, { lat: 10, lng: -74 }], preset: 'terrain' })
const finished = await run(['elevation', 'slope_degrees'])
const answered = await post('/v1/ask', { ...at, question: 'How high is this place?', include_trace: true })
const place = await post('/v1/lookup', { input: `${at.lat},${at.lng}` })
const found = await post('/v1/geocode', { address: '1777 Broadway, Boulder, CO 80302' })
const coarse = await post('/v1/geocode', { address: 'Boulder, CO' })
const granted = await login()
const agent = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, granted.token as string)
console.log(
  JSON.stringify({
    presets: Object.keys(presets).length,
    batch: batch.results.map(({ ok }: Answer) => ok),
    run: [finished.status, Object.keys(finished.result.results[0].fields)],
    fields_used: answered.fields_used,
    market: Object.keys(place.county_market),
    grades: [found.accuracy_type, found.match_type, coarse.detail.error],
    login: granted.status,
    tools: agent.result.tools.map(({ name }: Answer) => name),
  }),
)
