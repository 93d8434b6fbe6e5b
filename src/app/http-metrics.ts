/** What `/metrics` tells of connections and request bodies. */
import type { Metrics } from '../base/metrics.ts'
import type { HttpServer } from '../http/server.ts'
import { readings } from './service-metrics.ts'

/** Registers the figures of a server. */
export function httpMetrics(metrics: Metrics, { connections, bodies }: Pick<HttpServer, 'connections' | 'bodies'>): void {
  metrics.gauge('dateline_connections', 'Connections that are open.', () => [[{}, connections.size]])
  metrics.counted('dateline_connections_shed_total', 'Connections that were ended for others, or refused.', () =>
    readings('reason', connections.shed),
  )
  metrics.gauge('dateline_request_body_bytes', 'Memory of request bodies in flight.', () => [[{}, bodies.heldBytes]])
  metrics.counted('dateline_request_bodies_refused_total', 'Request bodies that were refused.', () =>
    readings('reason', bodies.rejections),
  )
}
