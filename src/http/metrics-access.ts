import { isLoopback, type Config } from '../config.ts'

export const metricsPath = '/metrics'

/**
 * Reports whether /metrics is readable without a token: both FIELDSTONE_HOST and the base URL are loopback. With a
 * public base URL a local proxy would expose it.
 */
export function areMetricsPublic({ host, base_url }: Pick<Config, 'host' | 'base_url'>): boolean {
  return isLoopback(host) && isLoopback(new URL(base_url).hostname.replace(/^\[(.*)\]$/, '$1'))
}
