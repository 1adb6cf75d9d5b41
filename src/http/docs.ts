import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import { page, start } from './docs-page.ts'
import { operation, type Operations } from './operation.ts'

const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const docsOperations: Operations = {
  'GET /v1/docs': operation({
    tag: 'Documentation', scope: null, summary: 'This page', description: 'Served from the executable: nothing is loaded from elsewhere.',
    answers: { 200: Type.String() }, media: { 200: 'text/html' },
  }),
}

export const docsRoutes = () =>
  new Elysia()
    .get('/v1/docs', () => text(page, 'text/html; charset=utf-8'))
    .get('/v1/docs/start.js', () => text(start, 'text/javascript; charset=utf-8'))
    .get('/v1/docs/swagger-ui.css', () => asset(style, 'text/css; charset=utf-8'))
    .get('/v1/docs/swagger-ui-bundle.js', () => asset(script, 'text/javascript; charset=utf-8'))

function text(body: string, type: string): Response {
  return new Response(body, { headers: { 'content-type': type, 'content-security-policy': policy, 'referrer-policy': 'no-referrer' } })
}

function asset(path: string, type: string): Response {
  return new Response(Bun.file(path), { headers: { 'content-type': type, 'cache-control': 'public, max-age=86400' } })
}
