/** The contract of a commit log, for the one in etcd over an etcd in memory, where no server is installed. */
import { createEtcdLog } from '../../src/cluster/log/etcd-log.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { describeLogContract } from '../support/cluster/log-contract.ts'
import { createMemoryEtcd } from '../support/cluster/memory-etcd.ts'

describeLogContract('over an etcd in memory', (t) => {
  const etcd = createMemoryEtcd()
  return Promise.resolve({
    connect() {
      const log = createEtcdLog({ etcd: etcd.connect(1), prefix: '/test/', log: recordingLog().log })
      t.after(() => log.close())
      return log
    },
  })
})
