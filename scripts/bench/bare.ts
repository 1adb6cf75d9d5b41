/** A bare Bun server that ignores the request and answers with the bytes from stdin. */
const bytes = await Bun.stdin.bytes()
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response(bytes, { headers: { 'content-type': 'application/json' } }),
})
console.log(server.url.href)
