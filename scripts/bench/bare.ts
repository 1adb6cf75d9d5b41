/** The peer: a bare Bun server that reads nothing and answers the bytes it is given on stdin. */
const bytes = await Bun.stdin.bytes()
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response(bytes, { headers: { 'content-type': 'application/json' } }),
})
console.log(server.url.href)
