/** An agent that signs in to /mcp with a browser. Argument: the address of the server. Prints what it got as JSON. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [address = ''] = process.argv.slice(2)
// oxlint-disable-next-line typescript/no-explicit-any -- programs read answers without a schema
type Answer = Record<string, any>

const read = async (url: string, init?: RequestInit) => (await (await fetch(url, init)).json()) as Answer
const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const post = (url: string, body: object) =>
  read(url, { method: 'POST', headers: jsonHeaders, body: JSON.stringify(body) })

/** Finds the authorization server from the rejection of /mcp. */
async function discover(): Promise<Answer> {
  const rejected = await fetch(`${address}/mcp`, { method: 'POST', headers: jsonHeaders, body: '{}' })
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(rejected.headers.get('www-authenticate') ?? '') ?? []
  const { resource, authorization_servers } = await read(metadata)
  return { resource, ...(await read(`${authorization_servers[0]}/.well-known/oauth-authorization-server`)) }
}

/** Shows the link on standard error, and waits until the browser comes back with the code. */
async function signIn({ resource, ...server }: Answer): Promise<Answer> {
  const back = Promise.withResolvers<URL>()
  const callback = createServer((request, response) => {
    back.resolve(new URL(request.url ?? '', 'http://127.0.0.1'))
    response.end('Signed in. You can close this page.')
  })
  await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve))
  const redirect_uri = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`
  const registration = { redirect_uris: [redirect_uri], client_name: 'An agent', token_endpoint_auth_method: 'none' }
  const { client_id } = await post(server.registration_endpoint as string, registration)
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const requested = { response_type: 'code', client_id, redirect_uri, resource, state: 'the-state' }
  const link = new URLSearchParams({ ...requested, code_challenge, code_challenge_method: 'S256' })
  console.error(`open ${server.authorization_endpoint}?${link.toString()}`)
  const code = (await back.promise).searchParams.get('code')!
  callback.close()
  const grant = { grant_type: 'authorization_code', code, code_verifier, redirect_uri, client_id, resource }
  return read(server.token_endpoint as string, { method: 'POST', body: new URLSearchParams(grant) })
}

const { access_token } = await signIn(await discover())

/** Calls a method of the agent protocol. */
async function call(method: string, params: object): Promise<Answer> {
  const headers = { ...jsonHeaders, authorization: `Bearer ${access_token}` }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const text = await (await fetch(`${address}/mcp`, { method: 'POST', headers, body })).text()
  return (JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Answer).result as Answer
}

const { tools } = await call('tools/list', {})
const { prompts } = await call('prompts/list', {})
const request = { lat: 40.015, lng: -105.2705, fields: ['elevation'] }
const fetched = await call('tools/call', { name: 'fetch_fields', arguments: request })
const names = (items: Answer[]) => items.map(({ name }) => name as string)
console.log(JSON.stringify({ tools: names(tools), prompts: names(prompts), text: fetched.content[0].text }))
