import { isLoopback, type Config } from '../config.ts'

export const metricsPath = '/metrics'

/** Whether the metrics may be read without a token: the server listens on its own machine alone, and has no public address, which a proxy there would serve to everybody. */
export function areMetricsPublic({ host, base_url }: Pick<Config, 'host' | 'base_url'>): boolean {
  return isLoopback(host) && isLoopback(new URL(base_url).hostname.replace(/^\[(.*)\]$/, '$1'))
}
