/**
 * Variables that Docker and Kubernetes set in a container for each service beside it, such as DATELINE_SERVICE_HOST and
 * DATELINE_PORT=tcp://10.0.0.1:8080 for a service named `dateline`, and DATELINE_MAIL_PORT=… for `dateline-mail`. They
 * are not settings, although one of them has the name of a setting. Kubernetes documentation, "Discovering services:
 * environment variables"; Docker documentation, "Legacy container links: environment variables".
 */
import { isIP } from 'node:net'
import type { Environment } from './settings.ts'

const NAMES_SHOWN_MAX = 3
const PORT_MAX = 65_535

/** `DATELINE`, or `DATELINE_MAIL` for a service named `dateline-mail`. */
const SERVICE = 'DATELINE(?:_[A-Z0-9_]+)?'
const FORMS: readonly { readonly name: RegExp; readonly isValue: (value: string) => boolean }[] = [
  { name: form('_SERVICE_HOST'), isValue: (value) => isIP(value) !== 0 },
  { name: form('_SERVICE_PORT(?:_[A-Z0-9_]+)?'), isValue: isPort },
  { name: form('_PORT(?:_(?:START|END))?'), isValue: isTarget },
  { name: form('_PORT_\\d{1,5}_(?:TCP|UDP|SCTP)(?:_(?:START|END))?'), isValue: isTarget },
  { name: form('_PORT_\\d{1,5}_(?:TCP|UDP|SCTP)_ADDR'), isValue: (value) => isIP(value) !== 0 },
  { name: form('_PORT_\\d{1,5}_(?:TCP|UDP|SCTP)_PORT(?:_(?:START|END))?'), isValue: isPort },
  { name: form('_PORT_\\d{1,5}_(?:TCP|UDP|SCTP)_PROTO'), isValue: (value) => /^(?:tcp|udp|sctp)$/.test(value) },
  // The path of a container of Docker: its own name and the name of the link.
  { name: form('_NAME'), isValue: (value) => /^\/[\w.-]+\/[\w.-]+$/.test(value) },
]

/** The environment without such variables. Both the name and the value must be of their form. */
export function withoutServiceLinks(environment: Environment): Environment {
  const links = new Set(linksIn(environment))
  return links.size === 0
    ? environment
    : Object.fromEntries(Object.entries(environment).filter(([name]) => !links.has(name)))
}

/** One sentence about all such variables; none where there are none. */
export function serviceLinkWarnings(environment: Environment): readonly string[] {
  const names = linksIn(environment)
  if (names.length === 0) return []
  const more = names.length > NAMES_SHOWN_MAX ? ` and ${names.length - NAMES_SHOWN_MAX} more` : ''
  return [
    `ignored ${names.slice(0, NAMES_SHOWN_MAX).join(', ')}${more}, which Kubernetes or Docker set for a service: ` +
      'set enableServiceLinks: false in the pod, or rename the service',
  ]
}

function linksIn(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    FORMS.some((one) => one.name.test(name) && one.isValue(value ?? '')) ? [name] : [],
  )
}

function form(ending: string): RegExp {
  return new RegExp(`^${SERVICE}${ending}$`)
}

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= PORT_MAX
}

/** `tcp://10.0.0.1:8080` or `tcp://[fd00::1]:8080`. */
function isTarget(value: string): boolean {
  const [, six, four = '', port = ''] = /^(?:tcp|udp|sctp):\/\/(?:\[([\da-f:.]+)\]|([\d.]+)):(\d+)$/i.exec(value) ?? []
  return isIP(six ?? four) !== 0 && isPort(port)
}
