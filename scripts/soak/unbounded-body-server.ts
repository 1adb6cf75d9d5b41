// A process that accepts runs with three faults: it reads a body before it has a place for it, it shares four places
// between all accounts, and it waits for a body forever. The suite of slow senders must see each.
const places = 4
let used = 0
const server = Bun.serve({
  port: 0,
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method !== 'POST') return new Response('ok')
    const hasPlace = used < places
    if (hasPlace) used++
    const body = await request.bytes()
    if (hasPlace) used--
    return new Response(String(body.length), { status: hasPlace ? 202 : 503 })
  },
})
console.log(server.url.href)
