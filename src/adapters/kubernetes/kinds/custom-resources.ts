// Made from crds/*.yaml by `node tools/crds/write-types.ts`: change the YAML, never this file.
import type { V1ObjectMeta } from '@kubernetes/client-node';

/**
 * An OAuthProvider is an identity provider that people sign in with. If a change would leave somebody without
 * a way to sign in, the operator refuses it in the condition Ready, and the last accepted definition stays in
 * effect.
 */
export interface OAuthProviderCustomResource {
  apiVersion: 'millrace.dev/v1alpha1';
  kind: 'OAuthProvider';
  metadata: V1ObjectMeta;
  /** How to reach the provider. */
  spec: {
    /** Name to display on the sign-in page. */
    displayName?: string;
    /** OIDC: OpenID Connect with discovery. OAuth2: the three URLs are set by hand. It cannot be changed. */
    type: 'OIDC' | 'OAuth2';
    /** The client ID that the provider gave to this installation. */
    clientID: string;
    /**
     * Where the client secret is. The gateways read it from the Secret <release>-oauth in the namespace of
     * the installation, or from <release>-oauth-api if the provider was created through the API.
     */
    clientSecretRef: {
      /** Name of the Secret: <release>-oauth. */
      name: string;
      /** Key whose value is the client secret. */
      key: string;
    };
    /** OIDC: the issuer. The discovery document is at <issuerURL>/.well-known/openid-configuration. */
    issuerURL?: string;
    /** OAuth2: the authorization endpoint. */
    authURL?: string;
    /** OAuth2: the token endpoint. */
    tokenURL?: string;
    /** OAuth2: the endpoint that returns the user of a token. */
    userInfoURL?: string;
    /** Scopes to request. Default: openid, profile and email for OIDC, none for OAuth2. */
    scopes?: string[];
    /** Claim or field that suggests a user name. It never links accounts. Default: preferred_username. */
    usernameClaim?: string;
    /**
     * Claim or field that lists a person's groups, to which Teams give roles. If absent, groups of this
     * provider give no roles.
     */
    groupsClaim?: string;
    /** False removes the provider from the sign-in page. Default: true. */
    enabled?: boolean;
  };
  /** The observed state. Only the operator writes it. */
  status?: {
    /** The metadata.generation that this status describes. */
    observedGeneration?: number;
    /** Redirect URI to register with the provider. */
    callbackURL?: string;
    /**
     * Ready: the definition is accepted. SignIn: people can sign in with the provider. Stalled: you need to
     * change the manifest; present only while it is true.
     */
    conditions?: {
      /** Name of the condition. */
      type: string;
      /** True, False or Unknown. */
      status: 'True' | 'False' | 'Unknown';
      /** The metadata.generation that the condition describes. */
      observedGeneration?: number;
      /** When the status of the condition last changed. */
      lastTransitionTime: string;
      /** The reason, one CamelCase word. */
      reason: string;
      /** The reason in a sentence. */
      message: string;
    }[];
  };
}

/**
 * A Pipeline is a continuous-integration pipeline written in HCL. It belongs to the Team whose namespace it
 * is in. Millrace checks its resources for new versions and runs its jobs as builds, one Pod for each build.
 */
export interface PipelineCustomResource {
  apiVersion: 'millrace.dev/v1alpha1';
  kind: 'Pipeline';
  metadata: V1ObjectMeta;
  /**
   * What to run. If the definition has errors, the last good revision keeps running. The condition Ready is
   * then False with the reason InvalidConfig, and its message lists every error by line and column.
   */
  spec: {
    /** Name to display instead of the object's name. */
    displayName?: string;
    /**
     * The pipeline in HCL, at most 256 KiB. Use `kubectl apply --server-side` for more than about 200 KiB,
     * because client-side apply stores a second copy in an annotation.
     */
    config?: string;
    /**
     * Reads the HCL text from another object instead of config. Millrace applies a change of that object like
     * a change of config.
     */
    configFrom?: {
      /** One key of a ConfigMap in the Pipeline's namespace. */
      configMapKeyRef: {
        /** Name of the ConfigMap. */
        name: string;
        /** Key whose value is the HCL text. */
        key: string;
      };
    };
    /**
     * Values of the pipeline's variables by name. They override varsFrom and the defaults in the HCL text.
     * Anyone who can read this object can read them, so put secret values in a Secret and name it in
     * varsFrom.
     */
    vars?: Record<string, string>;
    /** More sources of variables. If two of them have the same name, the later one counts. */
    varsFrom?: {
      /** A ConfigMap in the Pipeline's namespace. */
      configMapRef?: {
        /** Name of the ConfigMap. */
        name: string;
      };
      /**
       * A Secret in the Pipeline's namespace. It needs the label millrace.dev/usable=true, with which its
       * owner allows pipelines to use it.
       */
      secretRef?: {
        /** Name of the Secret. */
        name: string;
      };
    }[];
    /**
     * True makes the pipeline public: anyone can see its names, states and pictures without signing in, but
     * no values and no logs. False makes it private. If absent, it stays as it is; a new pipeline is private.
     */
    public?: boolean;
    /**
     * True pauses the pipeline: checks run, but they trigger no builds, also not after the pause. If set, the
     * API cannot pause or unpause the pipeline. If absent, the API decides.
     */
    paused?: boolean;
    /**
     * Resources that are pinned: every get takes this version, even if there are newer ones. The API cannot
     * pin or unpin a resource in this list. Removing an entry unpins the resource.
     */
    pins?: {
      /** Name of the resource, `<type>.<name>`. */
      resource: string;
      /**
       * Fields of the version, as many as are needed to identify it. No job that gets the resource is built
       * before a check has found such a version.
       */
      version: Record<string, string>;
    }[];
  };
  /** The observed state. Only the operator writes it. */
  status?: {
    /** The metadata.generation that this status describes. */
    observedGeneration?: number;
    /** Number of the current revision. Each accepted change increases it. */
    revision?: number;
    /** Whether the pipeline is paused, by the manifest or through the API. */
    paused?: boolean;
    /** Number of jobs in the current revision. */
    jobCount?: number;
    /** Number of resources in the current revision. */
    resourceCount?: number;
    /** The build that ended last, as `<job> #<number> <outcome>`. */
    lastBuild?: string;
    /** The first 100 jobs of the current revision, in the order of the HCL text. */
    jobs?: {
      /** Name of the job. */
      name: string;
      /** Whether this job is paused. */
      paused?: boolean;
      /** The newest build of the job. */
      lastBuild?: {
        /** Number of the build within the job. */
        number: string;
        /** One of pending, waiting, started, succeeded, failed, cancelled and warning. */
        status: string;
        /** When the build ended. Absent while it runs. */
        endedAt?: string;
      };
    }[];
    /**
     * Jobs that get no build and builds that do not start, at most 20, with an unusual reason. The API lists
     * the reasons of all jobs.
     */
    waiting?: {
      /** Name of the job. */
      job: string;
      /** Number of the build that does not start. Absent if the job gets no build. */
      build?: string;
      /** The reason, one of the codes in docs/reference/waiting.md. */
      reason: string;
      /** The reason in a sentence. */
      message: string;
    }[];
    /** Resources whose last check failed, at most 20. */
    failingChecks?: {
      /** Name of the resource, `<type>.<name>`. */
      resource: string;
      /** The error of the last check. */
      message: string;
    }[];
    /** What the last accepted change added, changed and removed. */
    lastPlan?: {
      /** Jobs that the change affects. */
      jobs?: {
        /** New names, at most 100. */
        added?: string[];
        /** Names with a new definition, at most 100. */
        changed?: string[];
        /** Removed names, at most 100. Their history stays in the database. */
        removed?: string[];
      };
      /** Resources that the change affects. */
      resources?: {
        /** New names, at most 100. */
        added?: string[];
        /** Names with a new definition, at most 100. */
        changed?: string[];
        /** Removed names, at most 100. Their history stays in the database. */
        removed?: string[];
      };
      /**
       * Resources that have a different version history now, because their type or params changed, and what
       * changed. At most 100.
       */
      histories?: string[];
    };
    /**
     * Ready: the definition is accepted and scheduled. LastBuildSucceeded: the outcome of the last build.
     * TagsRefused: the Team does not allow a tag, so some jobs or resources get no Pod. ChecksBlocked:
     * somebody else's CronJob has the name of one that Millrace needs. VersionsTruncated: a check found more
     * versions than Millrace accepts from one check. ChecksStalled: a check is long overdue. HooksFailed:
     * on_trigger hooks of the newest versions failed. QueueFull: so many builds are pending that new versions
     * trigger none. Only Ready and LastBuildSucceeded can be False; the others are present only while they
     * are true, as are Reconciling and Stalled.
     */
    conditions?: {
      /** Name of the condition. */
      type: string;
      /** True, False or Unknown. */
      status: 'True' | 'False' | 'Unknown';
      /** The metadata.generation that the condition describes. */
      observedGeneration?: number;
      /** When the status of the condition last changed. */
      lastTransitionTime: string;
      /** The reason, one CamelCase word. */
      reason: string;
      /** The reason in a sentence. */
      message: string;
    }[];
  };
}

/**
 * A Team owns one namespace. Every Pipeline in the namespace belongs to the team, and its checks and builds
 * run there. The operator isolates the namespace with RBAC, NetworkPolicies, Pod Security Standards and
 * limits.
 */
export interface TeamCustomResource {
  apiVersion: 'millrace.dev/v1alpha1';
  kind: 'Team';
  metadata: V1ObjectMeta;
  /** What the team may use. With an empty spec, the namespace has the name of the team. */
  spec: {
    /** Name to display instead of the object's name. */
    displayName?: string;
    /**
     * Members of the team. If set, the API cannot change members. If absent, the API decides. You can name
     * accounts that do not exist yet: they are members as soon as an admin creates them. A change that would
     * leave the team without an admin is refused.
     */
    members?: {
      /** Name of the account. */
      user: string;
      /** The role. Each role includes those before it. */
      role: 'read' | 'write' | 'maintain' | 'admin';
    }[];
    /**
     * Roles for groups of identity providers, in addition to members. People who are in the group when they
     * sign in have the role until the provider no longer lists them. It needs an OAuthProvider with
     * groupsClaim. If set, the API cannot change it. The condition GroupsIgnored names groups that give no
     * role.
     */
    groups?: {
      /** Name of the group, as the provider sends it. */
      claim: string;
      /**
       * Name of the OAuthProvider that the group is from. If several enabled providers have groupsClaim, a
       * group without it gives no role.
       */
      provider?: string;
      /** The role. Each role includes those before it. */
      role: 'read' | 'write' | 'maintain' | 'admin';
    }[];
    /**
     * The team's namespace. Default: the name of the team. The operator creates it. If it already exists, it
     * needs the label millrace.dev/team=<name of the team>. It cannot be changed, and deleting the team does
     * not delete it.
     */
    namespace?: string;
    /**
     * The Pod Security Standard that the namespace enforces. baseline: images of docker steps run as the user
     * that they name, including root, with the few capabilities that package managers need. restricted: every
     * container runs as an unprivileged user. Default: baseline.
     */
    podSecurity?: 'baseline' | 'restricted';
    /** Where the source of a type in the team's pipelines may be. */
    sources?: {
      /** True allows http:// in addition to https://. Default: false. */
      allowHTTP?: boolean;
      /**
       * Hosts that definitions may be fetched from, as host or host:port. Default: any host with a public
       * address.
       */
      allowedHosts?: string[];
    };
    /** Settings for every check and build Pod of the team. */
    defaults?: {
      /**
       * Image for exec and shell steps. It must be built from the Millrace image, which contains the program
       * that runs steps. Default: the Millrace image.
       */
      image?: string;
      /** Secrets in the team's namespace that the node uses to pull images. */
      imagePullSecrets?: {
        /** Name of the Secret. */
        name: string;
      }[];
      /**
       * Requests and limits for the steps of one Pod. Steps run one after another, so requests count once for
       * the Pod. Limits apply to each container.
       */
      resources?: {
        /** Amounts by resource, as in a Pod, for example cpu=500m and memory=512Mi. */
        requests?: Record<string, number | string>;
        /** Amounts by resource, as in a Pod, for example memory=2Gi. */
        limits?: Record<string, number | string>;
      };
    };
    /**
     * Tags that the team's pipelines may use. Default: any tag; an empty list allows none. Jobs and resources
     * with another tag get no Pod. The condition TagsRefused of the Pipeline, the reason why the build waits
     * and the error of the check show it.
     */
    allowedTags?: string[];
    /**
     * What a tag of a job or a resource means for the Pods of the team. A tag without an entry selects nodes
     * with the label millrace.dev/tag-<tag>=true. If there are several tags, all apply. A change takes effect
     * with the next Pod.
     */
    workers?: {
      /** The tag, as pipelines name it. */
      tag: string;
      /**
       * Labels that the node must have. Default: millrace.dev/tag-<tag>=true; {} selects any node. Nodes
       * cannot set labels with the prefix node-restriction.kubernetes.io/ on themselves.
       */
      nodeSelector?: Record<string, string>;
      /** Tolerations of the Pods, as in a Pod. */
      tolerations?: {
        /** Key of the taint. Default: every taint. */
        key?: string;
        /** Equal compares the taint's value, Exists ignores it. Default: Equal. */
        operator?: 'Exists' | 'Equal';
        /** Value of the taint. */
        value?: string;
        /** Effect of the taint. Default: every effect. */
        effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
        /** How long, in seconds, Pods tolerate a taint with the effect NoExecute. Default: without end. */
        tolerationSeconds?: number;
      }[];
      /**
       * Requests and limits for the steps of one Pod. They override the same resources in spec.defaults. If
       * two tags set the same resource, the later entry counts. Devices, such as nvidia.com/gpu, are assigned
       * to every container with an image of its own, or to the step container if there is none.
       */
      resources?: {
        /** Amounts by resource, as in a Pod, for example cpu=4 and memory=8Gi. */
        requests?: Record<string, number | string>;
        /** Amounts by resource, as in a Pod, for example memory=16Gi and nvidia.com/gpu=1. */
        limits?: Record<string, number | string>;
      };
      /** RuntimeClass of the Pods, for example nvidia or gvisor. */
      runtimeClassName?: string;
    }[];
    /** How much the team may use. Builds and checks beyond a limit wait, and show why. */
    limits?: {
      /**
       * Maximum number of builds that run at the same time. Default: defaults.limits.runningBuilds of the
       * chart, which is 20.
       */
      runningBuilds?: number;
      /**
       * Maximum number of check Pods that run at the same time. Default: defaults.limits.runningChecks of the
       * chart, which is 5. Check Pods that a CronJob creates count, but do not wait. The operator starts at
       * most 10 for all teams together, plus one for each team that has none.
       */
      runningChecks?: number;
      /**
       * Maximum number of Pipelines. Default: defaults.limits.pipelines of the chart, which is 500. A
       * Pipeline beyond the limit has the reason TooManyPipelines, and does not run until another one is
       * deleted.
       */
      pipelines?: number;
      /**
       * Maximum size of the logs of all builds of the team in the database, compressed, as a quantity such as
       * 512Mi. Default: defaults.limits.logBytes of the chart, which is 1Gi. Beyond the limit, the operator
       * removes the logs of the team's oldest builds; the builds stay. The condition LogsNearLimit is present
       * from 80 % on.
       */
      logBytes?: string;
      /**
       * Maximum sum of the requests of all Pods in the namespace, by resource, for example cpu=8 and
       * memory=16Gi. A ResourceQuota enforces it. Every Pod must request each resource that is set here, so
       * set it in spec.defaults.resources.requests too. Default: no limit.
       */
      requests?: Record<string, number | string>;
    };
    /**
     * How much history Millrace stores for the team. A build and its log are deleted once the build exceeds
     * any of these limits. If a pin, a running build or passed of a downstream job still needs the build,
     * only its log is deleted. Versions that no stored build used are deleted after the same number of days.
     */
    retention?: {
      /** Maximum number of builds of each job. Default: 500. */
      builds?: number;
      /** Maximum age in days, from the end of the build. Default: 365. */
      days?: number;
      /** How many of the newest good builds of each job stay regardless of age. Default: 1. */
      minimumSucceeded?: number;
    };
    /**
     * More restrictions for the Pods of the team. These rules always apply: nothing can connect to the Pods,
     * and the Pods can connect to DNS, to the internal gateway and to every address except cloud metadata
     * services.
     */
    network?: {
      /** Address ranges that the Pods must not connect to, for example 10.0.0.0/8. */
      denyCIDRs?: string[];
    };
  };
  /** The observed state. Only the operator writes it. */
  status?: {
    /** The metadata.generation that this status describes. */
    observedGeneration?: number;
    /** The team's namespace. */
    namespace?: string;
    /** The limits in effect, the team's own or the installation's. An absent limit is no limit. */
    limits?: {
      /** Maximum number of builds that run at the same time. */
      runningBuilds?: number;
      /** Maximum number of check Pods that run at the same time. */
      runningChecks?: number;
      /** Maximum number of Pipelines. */
      pipelines?: number;
      /** Maximum size of the logs in the database, compressed. */
      logBytes?: string;
    };
    /** Number of Pipelines in the namespace. */
    pipelineCount?: number;
    /** The name to display, from the manifest or the API. */
    displayName?: string;
    /** Number of members. */
    memberCount?: number;
    /** The current members, at most 200. */
    members?: {
      /** Name of the account. */
      user: string;
      /** The role of the member. */
      role: 'read' | 'write' | 'maintain' | 'admin';
    }[];
    /** The current roles for groups of identity providers, at most 200. */
    groups?: {
      /** Name of the group. */
      claim: string;
      /** Name of the OAuthProvider that the group is from. */
      provider?: string;
      /** The role of people in the group. */
      role: 'read' | 'write' | 'maintain' | 'admin';
    }[];
    /**
     * Ready: the namespace is set up; False with the reason HasPipelines while a deleted Team waits for its
     * last Pipelines. GroupsIgnored: some groups give no role. LogsNearLimit: the logs take more than 80 % of
     * limits.logBytes. Reconciling: the last attempt failed and the operator tries again. Stalled: you need
     * to change the manifest. All but Ready are present only while they are true.
     */
    conditions?: {
      /** Name of the condition. */
      type: string;
      /** True, False or Unknown. */
      status: 'True' | 'False' | 'Unknown';
      /** The metadata.generation that the condition describes. */
      observedGeneration?: number;
      /** When the status of the condition last changed. */
      lastTransitionTime: string;
      /** The reason, one CamelCase word. */
      reason: string;
      /** The reason in a sentence. */
      message: string;
    }[];
  };
}
