/** Clients of test servers, which are closed with the test. */
import type { EtcdTarget } from '../../../src/cluster/etcd-target.ts'
import { connectEtcd, type Etcd } from '../../../src/cluster/etcd/etcd-client.ts'
import { createEtcdLog } from '../../../src/cluster/log/etcd-log.ts'
import type { CommitLog } from '../../../src/store/cluster/commit-log.ts'
import { recordingLog, type RecordingLog } from '../../../scripts/tools/recording-log.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export function connectTo(t: Cleanup, endpoints: readonly string[], settings: Partial<EtcdTarget> = {}): Etcd {
  const nothing = { ca: undefined, cert: undefined, key: undefined, login: undefined }
  const target = { endpoints, prefix: '/test/', ...nothing, ...settings }
  const etcd = connectEtcd(target, { now: () => performance.now(), random: () => 0 })
  t.after(() => etcd.close())
  return etcd
}

let prefixes = 0

/** A log of its own in servers that tests share. */
export function logIn(t: Cleanup, endpoints: readonly string[], { log }: RecordingLog = recordingLog()): { connect(): CommitLog } {
  const prefix = `/test/${process.pid}-${prefixes++}/`
  return {
    connect() {
      const commitLog = createEtcdLog({ etcd: connectTo(t, endpoints), prefix, log })
      t.after(() => commitLog.close())
      return commitLog
    },
  }
}
