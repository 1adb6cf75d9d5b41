// A process that answers like a service with two faults: /allocate takes memory, and /block stops the event loop
// for 300 ms of processor time. The suite of hostile files must see both.
const taken: Uint8Array[] = []
const server = Bun.serve({
  port: 0,
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/allocate') taken.push(new Uint8Array(400 * 1024 ** 2).fill(1))
    if (pathname === '/block') for (const began = process.cpuUsage(); process.cpuUsage(began).user < 300_000;);
    return new Response('ok')
  },
})
console.log(server.url.href)
