import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import { docsHtml, docsScript } from './docs-page.ts'
import { defineOperation, type Operations } from './operation.ts'

const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const docsOperations: Operations = {
  'GET /v1/docs': defineOperation({
    tag: 'Documentation',
    scope: null,
    summary: 'API reference',
    description: 'This page. Everything is served from the executable; nothing is loaded from other servers.',
    responses: { 200: Type.String() },
    media: { 200: 'text/html' },
  }),
}

export const docsRoutes = () =>
  new Elysia()
    .get('/v1/docs', () => textResponse(docsHtml, 'text/html; charset=utf-8'))
    .get('/v1/docs/start.js', () => textResponse(docsScript, 'text/javascript; charset=utf-8'))
    .get('/v1/docs/swagger-ui.css', () => assetResponse(style, 'text/css; charset=utf-8'))
    .get('/v1/docs/swagger-ui-bundle.js', () => assetResponse(script, 'text/javascript; charset=utf-8'))

function textResponse(body: string, type: string): Response {
  return new Response(body, {
    headers: { 'content-type': type, 'content-security-policy': docsPolicy, 'referrer-policy': 'no-referrer' },
  })
}

function assetResponse(path: string, type: string): Response {
  return new Response(Bun.file(path), { headers: { 'content-type': type, 'cache-control': 'public, max-age=86400' } })
}
