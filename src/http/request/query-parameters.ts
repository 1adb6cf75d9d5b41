import { ValidationError } from '../../model/error.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { mediaTypeOf } from './body.ts'
import type { Operations } from './operation.ts'
import { pathOf } from './route-paths.ts'
import { createViolation } from './violations.ts'

/**
 * Returns a check of the query of a request against the parameters of its operation, by its route pattern. A request
 * outside of `/v1/`, and one whose body has a media type that the operation rejects, are not checked. A GET ignores
 * what it does not know, as the public interface does; what is sent must not be half understood.
 */
export function createQueryCheck(operations: Operations): (request: Request, route: string) => void {
  return (request, route) => {
    if (!request.url.includes('?') || !pathOf(request.url).startsWith('/v1/')) return
    if (request.method === 'GET' || request.method === 'HEAD') return
    const operation = operations[`${request.method} ${route.replace(/:(\w+)/g, '{$1}')}`]
    if (!operation) return
    // An unsupported media type is reported before a wrong query.
    if (operation.requestBody?.required && !(mediaTypeOf(request) in operation.requestBody.content)) return
    const names = (operation.parameters ?? []).filter((it) => it.in === 'query').map(({ name }) => name)
    const query = new URL(request.url).searchParams
    const unknown = [...new Set(query.keys())].filter((name) => !names.includes(name))
    if (unknown.length > 0)
      throw new ValidationError(
        unknown
          .slice(0, reportedMax)
          .map((name) =>
            createViolation('value_error', ['query', name.slice(0, 100)], adviceFor(name, names), query.get(name)),
          ),
      )
  }
}

const reportedMax = 20

function adviceFor(name: string, names: string[]): string {
  const nearest = nearestName(name, names)
  if (nearest !== null) return `Unknown query parameter. Did you mean \`${nearest}\`?`
  return names.length === 0
    ? 'This endpoint has no query parameters'
    : `Unknown query parameter. The parameters are ${names.map((it) => `\`${it}\``).join(', ')}`
}
