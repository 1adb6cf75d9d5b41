/** Where a request comes from, as far as the socket knows: what attempts are counted by. */
export function clientAddress(request: Request, server: { requestIP(request: Request): { address: string } | null } | null): string {
  return server?.requestIP(request)?.address ?? 'unknown'
}
